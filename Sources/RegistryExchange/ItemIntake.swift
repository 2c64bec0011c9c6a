import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// Checks items that a registry gives out, as anything is checked that comes from outside: limits, spelling, and the
/// schemas of their documents.
///
/// A registry checks what it takes, but nobody knows who answers in its place. One intake serves one thread.
final class ItemIntake {
  private let intake: PublishIntake

  /// Compiles the schemas.
  init() throws { intake = try PublishIntake() }

  /// What an item says, normalised.
  /// - Parameters:
  ///   - asked: the slug that was asked for.
  ///   - doing: what failures begin with.
  /// - Throws: `RunFailure` with status 2 and what is wrong with the answer.
  func check(_ item: PublicItem, asked: String, now: Timestamp, doing: String) throws -> PublishRequest {
    guard item.publicID.utf8.elementsEqual(asked.utf8) else {
      throw RunFailure(
        .failed, "\(doing): the registry answered with another item",
        advice: "Check that the address is the registry's.")
    }
    guard UUIDText.form(of: item.id) != .none else {
      throw RunFailure(.failed, "\(doing): the registry's id of it is no UUID")
    }
    let body = Self.body(item)
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: body)
    } catch {
      throw RunFailure(.failed, "\(doing): the registry's document is not JSON: \(error.message)")
    }
    switch intake.publication(document.root, now: now) {
    case .taken(let request): return request
    case .refused(let findings):
      let first = findings.first.map { "\($0.pointer.description): \($0.message)" } ?? "nobody can say why"
      let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
      throw RunFailure(.failed, "\(doing): what the registry has cannot be used: \(first)\(more)")
    }
  }

  private static func body(_ item: PublicItem) -> [UInt8] {
    var out = ByteBuffer(capacity: item.contentData.count + 1024)
    out.append("{")
    RecordText.append(item.title, as: "\"title\":", to: &out)
    RecordText.append(item.description, as: ",\"description\":", to: &out)
    RecordText.append(item.contentType.rawValue, as: ",\"content_type\":", to: &out)
    RecordText.append(item.language, as: ",\"language\":", to: &out)
    RecordText.append(item.publicID, as: ",\"public_id\":", to: &out)
    RecordText.append(item.tags, as: ",\"tags\":", to: &out)
    out.append(",\"content_data\":")
    item.contentData.withUnsafeBufferPointer { out.append($0) }
    out.append("}")
    return Array(out.bytes)
  }
}
