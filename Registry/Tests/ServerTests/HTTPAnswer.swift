import JSONText

/// An answer as received.
struct HTTPAnswer: Sendable {
  let status: Int
  /// The headers in their order, with names as received.
  let headers: [(name: String, value: String)]
  let body: [UInt8]

  /// Returns the value of the first header with the given name; letter case is ignored.
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

  var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the body as JSON.
  func json() throws -> JSONValue { try JSONDocument(parsing: body).root }

  /// The problem's code, when the answer is a problem.
  var problemCode: String? { (try? json())?["code"]?.string }

  /// Reads an answer that ends with the connection, or at the position that its headers specify.
  /// - Returns: Nil if the answer is incomplete.
  init?(wire: [UInt8], toHead: Bool = false) {
    let separator: [UInt8] = [13, 10, 13, 10]
    guard
      let end = wire.indices.first(where: { wire[$0...].starts(with: separator) }),
      case let lines = String(decoding: wire[..<end], as: UTF8.self).split(separator: "\r\n"),
      let first = lines.first?.split(separator: " ", maxSplits: 2), first.count >= 2, let status = Int(first[1])
    else { return nil }
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      headers.append((String(parts[0]), parts[1].trimmingPrefix(" ").description))
    }
    let rest = wire[(end + 4)...]
    self.status = status
    self.headers = headers
    func named(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    if toHead || status == 204 || status == 304 || (100..<200).contains(status) {
      guard rest.isEmpty else { return nil }
      body = []
    } else if named("transfer-encoding") == "chunked" {
      guard let joined = Self.joined(chunks: rest) else { return nil }
      body = joined
    } else if let length = named("content-length") {
      guard Int(length) == rest.count else { return nil }
      body = Array(rest)
    } else {
      body = Array(rest)
    }
  }

  private static func joined(chunks: ArraySlice<UInt8>) -> [UInt8]? {
    var rest = chunks
    var all: [UInt8] = []
    while let lineEnd = rest.firstIndex(of: 10) {
      let size = String(decoding: rest[rest.startIndex..<lineEnd], as: UTF8.self).prefix { $0.isHexDigit }
      guard let length = Int(size, radix: 16) else { return nil }
      rest = rest[(lineEnd + 1)...]
      if length == 0 { return all }
      guard rest.count >= length + 2 else { return nil }
      all += rest.prefix(length)
      rest = rest.dropFirst(length + 2)
    }
    return nil
  }
}
