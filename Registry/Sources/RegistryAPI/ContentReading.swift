import Content
import Foundation
import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import RegistryStore

extension ContentHandlers {
  /// Handles `GET /content/{public_id}`: returns the item and counts a view.
  func item(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let publicID = try publicID(context)
    if request.headers.contains(.ifNoneMatch) {
      // A client that already has the item does not count as a view.
      guard let head = try await registry.store.head(.publicID(publicID)) else { throw Problem.notFound }
      if EntityTag.isKnown(head.digest, request.headers), try await !registry.store.isRecredited(head.id) {
        return .notModified(PublicRead.fields(tag: EntityTag.text(head.digest)))
      }
    }
    guard let item = try await registry.store.content(publicID: publicID, countingView: true) else {
      throw Problem.notFound
    }
    var out = JSONOutput(capacity: item.contentData.count + 1024)
    out.appendItem(item)
    return .json(.ok, out, headers: PublicRead.fields(tag: EntityTag.text(item.head.digest)))
  }

  /// Handles `HEAD /content/{public_id}`: returns the owner and the digest, without counting a view.
  func itemHead(_ request: Request, _ context: RegistryContext) async throws -> Response {
    guard var item = try await registry.store.content(publicID: publicID(context), countingView: false) else {
      throw Problem.notFound
    }
    var fields = PublicRead.fields(tag: EntityTag.text(item.head.digest))
    fields[.contentDigest] = "sha-256=:\(Base64.text(item.head.digest)):"
    if let owner = item.head.userID { fields[.ownerID] = owner.text }
    if EntityTag.isKnown(item.head.digest, request.headers), try await !registry.store.isRecredited(item.head.id) {
      return .notModified(fields)
    }
    // The length must be the length of the answer to GET, whose count is one higher and may have one more digit.
    item.head.viewCount += 1
    var out = JSONOutput(capacity: item.contentData.count + 1024)
    out.appendItem(item)
    fields[.contentType] = "application/json"
    fields[.contentLength] = String(out.count)
    return Response(status: .ok, headers: fields)
  }

  /// Handles `POST /content/{public_id}/fork`: counts a fork, unless a fork from the caller's address was already
  /// counted today. The caller's account is neither checked nor stored.
  func fork(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let publicID = try publicID(context)
    let forks = registry.countedForks
    guard let claim = try await forks.begin(publicID, caller: AddressKey.of(context.clientAddress)) else {
      guard let head = try await registry.store.head(.publicID(publicID)) else { throw Problem.notFound }
      guard head.canFork else { throw Problem.forkForbidden }
      return Self.forkCount(head)
    }
    let outcome: ForkOutcome
    do { outcome = try await registry.store.countFork(publicID: publicID) } catch {
      await forks.end(claim, isCounted: false)
      throw error
    }
    var isCounted = false
    if case .counted = outcome { isCounted = true }
    await forks.end(claim, isCounted: isCounted)
    switch outcome {
    case .counted(let head): return Self.forkCount(head)
    case .forbidden: throw Problem.forkForbidden
    case .notFound: throw Problem.notFound
    }
  }

  private static func forkCount(_ head: PublicationHead) -> Response {
    var out = JSONOutput(capacity: 256)
    out.append("{\"fork_count\":")
    out.appendNumber(head.forkCount)
    out.append(",\"id\":")
    out.appendID(head.id)
    out.append(",\"public_id\":")
    out.appendJSONString(head.publicID)
    out.append(UInt8(ascii: "}"))
    return .json(.ok, out)
  }

  /// Handles `GET /content/{id}/lineage`: returns the steps from the original to the item, at most ten.
  func lineage(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let steps = try await find(context) { try await registry.store.lineage($0, depth: 10) }
    var out = JSONOutput(capacity: 128 * steps.count + 16)
    out.append(UInt8(ascii: "["))
    for (position, step) in steps.enumerated() {
      out.append(position == 0 ? "{\"title\":" : ",{\"title\":")
      out.appendJSONString(step.title)
      out.append(",\"creator\":")
      out.appendJSONString(orNull: step.creator)
      out.append(",\"created_at\":")
      out.appendDate(step.createdAt)
      out.append(",\"is_current\":")
      out.appendBool(step.isCurrent)
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "]"))
    return .publicRead(request, out)
  }

  /// Handles `GET /content/{id}/stats`: returns the counts.
  func stats(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let head = try await find(context) { try await registry.store.head($0) }
    var out = JSONOutput(capacity: 256)
    out.append("{\"views_count\":")
    out.appendNumber(head.viewCount)
    out.append(",\"fork_count\":")
    out.appendNumber(head.forkCount)
    out.append(",\"created_at\":")
    out.appendDate(head.createdAt)
    out.append(",\"creator\":")
    out.appendJSONString(orNull: head.authorUsername)
    out.append(UInt8(ascii: "}"))
    return .publicRead(request, out)
  }
}

/// Base64 with padding, for headers.
enum Base64 {
  static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
