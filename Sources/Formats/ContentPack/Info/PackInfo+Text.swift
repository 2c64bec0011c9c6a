import Content
import JSONText

extension PackInfo {
  /// The content of `data/pack.json`: indented JSON with its members in the schema's order. Equal descriptions give
  /// equal bytes.
  public var text: [UInt8] {
    var out = PackInfoWriter(capacity: 1024 + items.count * 320)
    out.line("\"format\": ", string: Self.format)
    out.line("\"format_version\": ", number: formatVersion)
    out.line("\"min_reader\": ", number: minReader)
    out.line("\"profile\": ", string: profile.rawValue)
    out.line("\"name\": ", string: name)
    if let version { out.line("\"version\": ", string: version.text) }
    if let publisher { out.line("\"publisher\": ", string: publisher) }
    if let licence { out.line("\"licence\": ", string: licence) }
    if let description { out.line("\"description\": ", string: description) }
    // Backups have no items of their own, so an empty list would carry no information.
    if profile != .backup || !languages.isEmpty { out.languages(languages) }
    if !previous.isEmpty {
      out.list("\"previous\": ", previous) { out, entry in
        out.member("\"version\": ", entry.version.text)
        out.member("\"sha256\": ", entry.sha256)
      }
    }
    if profile != .backup || !items.isEmpty {
      out.list("\"items\": ", items) { out, item in
        out.member("\"id\": ", item.id)
        out.member("\"content_type\": ", item.contentType.rawValue)
        out.member("\"title\": ", item.title)
        if let language = item.language { out.member("\"language\": ", language) }
        out.member("\"path\": ", item.path)
        out.member("\"sha256\": ", item.sha256)
      }
    }
    for extra in extras { out.extra(extra) }
    return out.end()
  }
}

/// Writes an object with one member per line.
private struct PackInfoWriter: ~Copyable {
  private var out: ByteBuffer
  private var isFirst = true
  private var isFirstInside = true

  init(capacity: Int) {
    out = ByteBuffer(capacity: capacity)
    out.append("{")
  }

  private mutating func begin() {
    out.append(isFirst ? "\n  " : ",\n  ")
    isFirst = false
  }

  mutating func line(_ name: StaticString, string: String) {
    begin()
    out.append(name)
    out.appendJSONString(string)
  }

  mutating func line(_ name: StaticString, number: Int) {
    begin()
    out.append(name)
    out.append(utf8: String(number))
  }

  mutating func languages(_ languages: [String]) {
    begin()
    out.append("\"languages\": [")
    for (index, language) in languages.enumerated() {
      if index > 0 { out.append(", ") }
      out.appendJSONString(language)
    }
    out.append("]")
  }

  mutating func list<Entry>(
    _ name: StaticString, _ entries: [Entry], _ write: (inout PackInfoWriter, Entry) -> Void
  ) {
    begin()
    out.append(name)
    guard !entries.isEmpty else { return out.append("[]") }
    out.append("[")
    for (index, entry) in entries.enumerated() {
      out.append(index == 0 ? "\n    {" : ",\n    {")
      isFirstInside = true
      write(&self, entry)
      out.append("\n    }")
    }
    out.append("\n  ]")
  }

  /// Appends a member of an object in a list.
  mutating func member(_ name: StaticString, _ value: String) {
    out.append(isFirstInside ? "\n      " : ",\n      ")
    isFirstInside = false
    out.append(name)
    out.appendJSONString(value)
  }

  mutating func extra(_ member: ExtraMember) {
    begin()
    out.appendJSONString(member.name)
    out.append(": ")
    out.append(utf8: member.json)
  }

  mutating func end() -> [UInt8] {
    out.append("\n}\n")
    return Array(out.bytes)
  }
}
