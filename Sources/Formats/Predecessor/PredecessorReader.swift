import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Creates drafts from the app's data, list by list.
///
/// Memory grows with the longest list and with the executions of a single charter. An element that differs from the
/// app's form is returned as a reject with the places of its problems.
final class PredecessorReader: DraftSource {
  private let file: AppFile
  private let findings: DiagnosticLog?
  private let records: AppRecords
  private var number = 0
  private var list = AppList.charters
  private var document: JSONDocument?
  /// The list's remaining tokens.
  private var tokens = 0..<0
  /// Whether keys are member names instead of array elements.
  private var hasMembers = false
  /// The finished drafts. The next one is last.
  private var pending: [SourceDraft] = []
  private var counter = PlaceCounter()
  private var done = 0
  private(set) var origin = DraftOrigin.file

  /// - Parameter findings: the log for findings; nil if the source positions of texts are recorded instead.
  init(_ file: AppFile, findings: DiagnosticLog?) {
    self.file = file
    self.findings = findings
    records = AppRecords(knowsPlaces: findings == nil)
  }

  var progress: (done: Int, total: Int?) { (min(done + tokens.lowerBound, file.size), file.size) }

  func next() throws -> SourceDraft? {
    while true {
      if let draft = pending.popLast() { return draft }
      if let document, !tokens.isEmpty {
        document.withNode(tokens.lowerBound) { step($0) }
        pending.reverse()
        for found in records.drainFindings() { report(found.code, found.message, at: found.range) }
        continue
      }
      guard number < file.lists.count else { return nil }
      if number == 0, !file.otherKeys.isEmpty {
        let names = file.otherKeys.prefix(12).map { "'\($0.prefix(60))'" }.joined(separator: ", ")
        findings?.report(
          Diagnostic(
            .unreadSettings, "not read: \(names)\(file.otherKeys.count > 12 ? " and others" : "")",
            at: Place(file: file.name)))
      }
      begin(file.lists[number])
      number += 1
    }
  }

  // MARK: Lists

  private func begin(_ stored: AppFile.Stored) {
    (list, origin, document, tokens) = (stored.list, stored.origin, nil, 0..<0)
    counter = PlaceCounter()
    switch stored.content {
    case .rejected(let draft): pending = [.rejected(draft)]
    case .value(let document, let token): open(document, token, stored)
    case .text(let text):
      do throws(JSONError) {
        let document: Result<JSONDocument, JSONError> = text.withUnsafeBytes { bytes in
          Result { () throws(JSONError) in try JSONDocument(parsing: bytes.bindMemory(to: UInt8.self).span) }
        }
        open(try document.get(), nil, stored)
      } catch {
        let at = min(error.offset, text.count)
        let problem = RejectedDraft.Problem(.unreadableList, "it is not JSON: \(error.message)", at: at..<at)
        pending = [
          .rejected(
            RejectedDraft(
              list.kind, title: stored.key ?? list.rawValue, json: Self.json(of: text), problems: [problem],
              range: 0..<0))
        ]
      }
    }
    if stored.version != 1 {
      report(.otherVersion, "\(stored.key ?? "") is version \(stored.version); only version 1 is supported", at: 0..<0)
    }
  }

  /// Returns data as a JSON string: as text if it is UTF-8, otherwise as Base64.
  private static func json(of text: Data) -> [UInt8] {
    text.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      var out = ByteBuffer(capacity: bytes.count + 64)
      if UTF8Check.firstInvalid(in: bytes.span) == nil {
        out.appendJSONString(bytes.span)
      } else {
        out.append("{\"base64\":\"")
        out.append(utf8: Data(bytes).base64EncodedString())
        out.append("\"}")
      }
      return out.copy(0..<out.count)
    }
  }

  /// - Parameter token: the token of the list in the document; nil if the whole document is the list.
  private func open(_ document: JSONDocument, _ token: Int?, _ stored: AppFile.Stored) {
    self.document = document
    func selectTokens(of root: JSONNode) {
      let all = root.index..<Int(root.token.next)
      hasMembers = false
      switch root.kind {
      case .array: tokens = all.dropFirst()
      case .object where list == .executions && root.member("checklistStates") == nil:
        tokens = all.dropFirst()
        hasMembers = true
      case .object: tokens = all
      case .null: break
      default:
        let problem = RejectedDraft.Problem(
          .unreadableList, "it is \(AppObject.words(root)), not an array", at: root.span)
        pending = [
          .rejected(
            RejectedDraft(
              list.kind, title: stored.key ?? list.rawValue, json: Array(root.raw), problems: [problem],
              range: root.span))
        ]
      }
    }
    if let token { document.withNode(token, selectTokens) } else { document.withRoot(selectTokens) }
  }

  /// Creates the drafts of the next element, in order.
  private func step(_ node: JSONNode) {
    func advance(to token: UInt32) { tokens = min(Int(token), tokens.upperBound)..<tokens.upperBound }
    guard list == .executions else {
      advance(to: node.token.next)
      pending = [records.draft(of: node, in: list)]
      return
    }
    if hasMembers {
      advance(to: node.at(node.index + 1).token.next)
      pending = records.executions(key: node, node.at(node.index + 1))
    } else if node.kind == .string {
      let value = node.at(Int(node.token.next))
      guard Int(node.token.next) < tokens.upperBound, value.kind != .string else {
        advance(to: node.token.next)
        pending = [records.reject(.execution, "", node, "the key has no value")]
        return
      }
      advance(to: value.token.next)
      pending = records.executions(key: node, value)
    } else {
      advance(to: node.token.next)
      pending = records.executions(key: nil, node)
    }
  }

  private func report(_ code: DiagnosticCode, _ message: String, at range: Range<Int>) {
    guard let findings else { return }
    var place = Place(file: file.name)
    if case .member(let name, _) = origin { place.member = name }
    if let position = document?.withText({ counter.position(of: range.lowerBound, in: $0) }) {
      (place.line, place.column) = (position.line, position.column)
    }
    findings.report(Diagnostic(code, message, at: place))
  }
}
