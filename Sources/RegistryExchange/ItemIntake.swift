import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Validation

/// Checks items from a registry like all other external input: limits, spelling, and document schemas.
///
/// A registry checks the items that it accepts, but another server may answer in its place. Use one intake per thread.
final class ItemIntake {
  private let intake: PublishIntake

  /// Compiles the schemas.
  init() throws { intake = try PublishIntake() }

  /// Returns the content of an item, normalised.
  /// - Parameters:
  ///   - asked: the requested slug.
  ///   - doing: the beginning of error messages.
  /// - Throws: `RunFailure` with status 2 and the problem with the answer.
  func check(_ item: PublicItem, asked: String, now: Timestamp, doing: String) throws -> PublishRequest {
    guard item.publicID.utf8.elementsEqual(asked.utf8) else {
      throw RunFailure(
        .failed, "\(doing): the registry answered with another item",
        advice: "Check that the address is the registry's.")
    }
    guard CanonicalUUID.form(of: item.id) != .none else {
      throw RunFailure(.failed, "\(doing): the item's id in the registry is not a UUID")
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
      let first = findings.first.map { "\($0.pointer.description): \($0.message)" } ?? "unknown reason"
      let more = findings.count > 1 ? " (and \(findings.count - 1) more)" : ""
      throw RunFailure(.failed, "\(doing): the registry's version cannot be used: \(first)\(more)")
    }
  }

  private static func body(_ item: PublicItem) -> [UInt8] {
    var out = ByteBuffer(capacity: item.contentData.count + 1024)
    out.append("{")
    RecordMembers.append(item.title, as: "\"title\":", to: &out)
    RecordMembers.append(item.description, as: ",\"description\":", to: &out)
    RecordMembers.append(item.contentType.rawValue, as: ",\"content_type\":", to: &out)
    RecordMembers.append(item.language, as: ",\"language\":", to: &out)
    RecordMembers.append(item.publicID, as: ",\"public_id\":", to: &out)
    RecordMembers.append(item.tags, as: ",\"tags\":", to: &out)
    out.append(",\"content_data\":")
    item.contentData.withUnsafeBufferPointer { out.append($0) }
    out.append("}")
    return Array(out.bytes)
  }
}
