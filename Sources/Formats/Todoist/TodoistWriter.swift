import Content
import DelimitedText
import Foundation
import Interchange
import JSONText

/// Writes checklists as Todoist templates: a single checklist to a file, or any number of them to a new folder.
///
/// A file holds one checklist, because a template is one project. A folder gets its final name when all files are
/// complete.
final class TodoistWriter: ContentWriter {
  private let target: Target
  private let text: TodoistRenderer
  private let losses: LossLog
  /// The file or standard output; nil for folders.
  private let file: OutputFile?
  /// The temporary folder next to the target, which is being filled; nil for files.
  private let filling: StagedFolder?
  private var names: Set<String> = []
  private var count = 0
  private var size = 0

  /// Creates a target.
  /// - Throws: `RunFailure` with status 4 if a file or folder of that name exists.
  init(_ target: Target, delimiter: UInt8, losses: LossLog) throws {
    self.target = target
    self.losses = losses
    text = TodoistRenderer(delimiter: delimiter, losses: losses)
    if target.isFolder {
      file = nil
      filling = try StagedFolder(target)
    } else {
      file = try OutputFile(target)
      filling = nil
    }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      guard case .item(let item)? = try? TypedRecord(record), let checklist = item.content?.checklist else {
        losses.record(record.kind, id: record.id, field: "", reason: .notAList)
        tally[record.kind].skipped[.notAList, default: 0] += 1
        continue
      }
      count += 1
      try loseMembers(of: record)
      if filling == nil, count > 1 {
        throw RunFailure(
          .refused, "write '\(target.path)': a Todoist template is one project, but there are several checklists",
          advice: "Specify a folder, such as '\(Self.stem(target.path))/', or one checklist with --id or --title.")
      }
      if let filling {
        let name = name(of: item.title)
        let bytes = text.text(of: item, checklist, project: name)
        if !name.utf8.elementsEqual(item.title.utf8) { loseTitle(of: item) }
        let written = try AtomicFile("\(filling.path)/\(name).csv", overwrites: false)
        try write(bytes.bytes.span, to: written.descriptor)
        size += try written.publish()
      } else if let file {
        let stem = Self.stem(target.path).utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        let name = target.isStandardOutput ? "" : String(decoding: stem, as: UTF8.self)
        let bytes = text.text(of: item, checklist, project: name)
        if !name.utf8.elementsEqual(item.title.utf8) { loseTitle(of: item) }
        try write(bytes.bytes.span, to: file.descriptor)
      }
      tally[.item].created += 1
    }
  }

  /// The members that `TodoistRenderer` reads. A project cannot hold any other members.
  private static let known: Set<String> = [
    "kind", "id", "content_type", "title", "description", "tags", "language", "created_at", "updated_at",
    "content_data",
  ]
  private static let knownInside: Set<String> = [
    "id", "title", "description", "tags", "checklistType", "sections", "createdAt", "updatedAt",
  ]

  /// Reports the members of an item and its document that have a value and are lost.
  private func loseMembers(of record: Record) throws {
    func lose(_ object: JSONNode, _ shape: Shape, _ known: Set<String>, _ path: String) {
      object.forEachMember(of: shape, beyond: known) { name, value in
        // A document's status is always the status of its item.
        guard let name = name.string, name != "syncStatus" || !value.equals("pending") else { return }
        losses.record(
          record.kind, id: record.id, field: path + JSONPointer([.member(name)]).description, reason: .project)
      }
    }
    try record.document().withRoot { root in
      lose(root, Shapes.item, Self.known, "")
      if let document = root.member("content_data") {
        lose(document, Shapes.checklist, Self.knownInside, "/content_data")
      }
    }
  }

  private func loseTitle(of item: LibraryItem) {
    losses.record(.item, id: item.id, field: "/title", reason: .projectTitle)
  }

  private func write(_ bytes: Span<UInt8>, to descriptor: Int32) throws {
    let sink = ByteSink(descriptor: descriptor, name: target.path)
    try sink.write(bytes)
    try sink.flush()
  }

  /// Returns a file's name without its extension.
  private static func stem(_ path: String) -> String {
    guard path.utf8.count > 4, path.lowercased().hasSuffix(".csv") else { return path }
    return String(path.dropLast(4))
  }

  /// Returns the file name for a title. Todoist shows the file name as the project's name, so it is kept as close to
  /// the title as possible.
  private func name(of title: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in title.unicodeScalars where scalars.count < 60 {
      let isUnfit = scalar.value < 0x20 || scalar.value == 0x7F || "/\\:*?\"<>|".unicodeScalars.contains(scalar)
      scalars.append(isUnfit || (scalar == "." && scalars.isEmpty) ? "-" : scalar)
    }
    let plain = TaskTitle.trimmed(String(scalars))
    let base = plain.isEmpty ? "checklist" : plain
    var name = base
    var number = 1
    // Some file systems ignore the case of names.
    while !names.insert(name.lowercased().precomposedStringWithCanonicalMapping).inserted {
      number += 1
      name = "\(base) \(number)"
    }
    return name
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard count > 0 else {
      throw RunFailure(
        .refused, "write '\(target.path)': the source has no checklists; nothing was written",
        advice: "'fleetkit list' shows the source's content.")
    }
  }

  func finish() throws -> Int {
    if let filling {
      try filling.publish()
      return size
    }
    guard let file else { return 0 }
    return try file.publish()
  }

  func abort() {
    file?.discard()
    filling?.discard()
  }
}

/// Renders checklists as Todoist templates, and reports the values that a template cannot hold.
struct TodoistRenderer {
  private let losses: LossLog
  private let dialect: DelimitedDialect

  /// Creates a renderer that reports losses to `losses`.
  /// - Parameter delimiter: the cell delimiter.
  init(delimiter: UInt8 = UInt8(ascii: ","), losses: LossLog) {
    dialect = DelimitedDialect(delimiter: delimiter)
    self.losses = losses
  }

  /// Returns a checklist as a template.
  /// - Parameter project: the project's name in Todoist.
  func text(of item: LibraryItem, _ checklist: Checklist, project: String) -> ByteBuffer {
    reportLosses(item, checklist)
    var out = ByteBuffer(capacity: 4096)
    var writer = DelimitedWriter(dialect)
    for column in TodoistColumns.written { writer.append(column.rawValue, to: &out) }
    writer.endRow(&out)
    for (number, section) in checklist.sections.enumerated() {
      let pointer = "/content_data/sections/\(number)"
      // When a template is read, tasks before the first section go into a section that is named after the project.
      let isHead = number == 0 && section.title.utf8.elementsEqual(project.utf8) && !section.items.isEmpty
      if !isHead {
        row(&writer, &out, [.type: "section", .content: section.title.isEmpty ? "-" : section.title])
        if section.title.isEmpty { lose(item, pointer + "/title", .untitledSection) }
      }
      reportLosses(item, section, pointer)
      var above: [String] = []
      for (index, step) in section.items.enumerated() {
        write(step, of: item, "\(pointer)/items/\(index)", &above, &writer, &out)
      }
    }
    return out
  }

  private func write(
    _ step: ChecklistItem, of item: LibraryItem, _ pointer: String, _ above: inout [String],
    _ writer: inout DelimitedWriter, _ out: inout ByteBuffer
  ) {
    // A task is written as a subtask if reading it gives the same title again.
    while let last = above.last, !isBelow(step.title, last) || above.count >= 4 { above.removeLast() }
    var title = step.title
    if let last = above.last {
      title = String(decoding: title.utf8.dropFirst(last.utf8.count + TaskTitle.below.utf8.count), as: UTF8.self)
    }
    let indent = above.count + 1
    above.append(step.title)
    if TaskTitle(title) != TaskTitle(title: title, labels: []) {
      lose(item, pointer + "/title", .labelInTitle)
    }
    let labels = step.tags.map(TaskTitle.label)
    for (index, tag) in step.tags.enumerated() where !labels[index].utf8.elementsEqual(tag.utf8) {
      lose(item, "\(pointer)/tags/\(index)", .labelOfWords)
    }
    let content = ([title] + labels.filter { !$0.isEmpty }.map { "@" + $0 }).joined(separator: " ")
    row(
      &writer, &out,
      [
        .type: "task", .content: content, .description: step.itemDescription ?? "",
        .priority: step.isRequired ? "1" : "4", .indent: String(indent),
        .duration: step.estimatedMinutes.map(String.init) ?? "",
        .durationUnit: step.estimatedMinutes == nil ? "" : "minute",
      ])
    if step.isOptional { lose(item, pointer + "/isOptional", .optionalTask) }
    if !step.extras.isEmpty { lose(item, pointer, .task) }
  }

  private func isBelow(_ title: String, _ parent: String) -> Bool {
    let prefix = Array(parent.utf8) + Array(TaskTitle.below.utf8)
    return title.utf8.count > prefix.count && title.utf8.starts(with: prefix)
  }

  private func row(
    _ writer: inout DelimitedWriter, _ out: inout ByteBuffer, _ values: [TodoistColumns.Column: String]
  ) {
    for column in TodoistColumns.written { writer.append(values[column] ?? "", to: &out) }
    writer.endRow(&out)
  }

  // MARK: - Losses

  private func lose(_ item: LibraryItem, _ field: String, _ reason: LossReason) {
    losses.record(.item, id: item.id, field: field, reason: reason)
  }

  private func reportLosses(_ item: LibraryItem, _ checklist: Checklist) {
    let reason = LossReason.project
    lose(item, "/id", .taskIDs)
    if !(item.description ?? "").isEmpty { lose(item, "/description", reason) }
    if !item.tags.isEmpty { lose(item, "/tags", reason) }
    if item.language != "en" { lose(item, "/language", reason) }
    if checklist.checklistType != Checklist.ChecklistType.general { lose(item, "/content_data/checklistType", reason) }
  }

  private func reportLosses(_ item: LibraryItem, _ section: ChecklistSection, _ pointer: String) {
    let reason = LossReason.section
    if !section.isExpandedByDefault { lose(item, pointer + "/isExpandedByDefault", reason) }
    if section.icon != nil { lose(item, pointer + "/icon", reason) }
    if !(section.description ?? "").isEmpty { lose(item, pointer + "/description", reason) }
    if !section.extras.isEmpty { lose(item, pointer, reason) }
  }
}

/// The text of a task, split into its title and its labels, which are written as `@label`.
struct TaskTitle: Equatable {
  /// The text without labels.
  var title: String
  /// The labels, without `@`.
  var labels: [String]

  /// The separator between a task's title and its subtask's title.
  static let below = " \u{203A} "

  /// Creates a title from text and labels, which are kept unchanged.
  init(title: String, labels: [String]) {
    self.title = title
    self.labels = labels
  }

  /// Extracts the labels from a task's text. If the text consists only of labels, it is kept unchanged as the title.
  init(_ content: String) {
    labels = []
    let scalars = content.unicodeScalars
    var at = scalars.startIndex
    var title = String.UnicodeScalarView()
    var isStart = true
    while at < scalars.endIndex {
      let scalar = scalars[at]
      if scalar == "@", isStart {
        let rest = scalars[scalars.index(after: at)...]
        let label = rest.prefix { !Self.endsLabel($0) }
        if !label.isEmpty {
          labels.append(String(Substring(label)))
          at = label.endIndex
          // One of the spaces around a label is removed together with the label.
          if title.last.map(Self.isBlank) ?? true, at < scalars.endIndex, Self.isBlank(scalars[at]) {
            at = scalars.index(after: at)
          }
          isStart = true
          continue
        }
      }
      title.append(scalar)
      isStart = Self.isBlank(scalar)
      at = scalars.index(after: at)
    }
    let text = Self.trimmed(title)
    guard !text.isEmpty else {
      self.title = Self.trimmed(content)
      labels = []
      return
    }
    self.title = String(Substring(text))
  }

  /// Returns the label for a tag. Todoist does not allow spaces in labels, and the characters that end a label are not
  /// allowed either.
  static func label(_ tag: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in tag.unicodeScalars { out.append(endsLabel(scalar) ? "_" : scalar) }
    return String(out)
  }

  private static func endsLabel(_ scalar: Unicode.Scalar) -> Bool {
    isBlank(scalar) || scalar == "," || scalar == ";" || scalar == "@"
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Returns a string without surrounding whitespace.
  static func trimmed(_ text: String) -> String { String(Substring(trimmed(text.unicodeScalars))) }

  private static func trimmed(_ text: String.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var text = text[...]
    while let last = text.last, isBlank(last) { text.removeLast() }
    while let first = text.first, isBlank(first) { text.removeFirst() }
    return text
  }
}
