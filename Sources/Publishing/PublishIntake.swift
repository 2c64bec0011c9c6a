import Content
import Diagnostics
import JSONSchema
import JSONText
import Validation

/// Takes the bodies of publish requests as a registry does: lenient about ids, defaults and spelling, strict about
/// types and limits. What it takes is normalised; what it does not take has findings with places.
///
/// What is taken is complete (ids, times, defaults), in the app's spelling and order, with times in whole seconds, and
/// is taken again unchanged. One intake serves one thread. Nothing in a body makes it trap; how deep a body may nest
/// and how many findings are listed is limited, and the time grows with the body and no faster.
/// - Source: formats/schemas/publish-request.schema.json
public final class PublishIntake {
  /// What became of a body.
  public enum Outcome<Taken: Sendable>: Sendable {
    /// It may be stored.
    case taken(Taken)
    /// It may not; never empty, in the order of places.
    case refused([IntakeFinding])
  }

  /// How many findings are listed at most unless a caller wants fewer, the one that says that there are more included.
  public static let mostFindings = 100
  /// How deep the values of a body may nest.
  public static let mostDepth = BodyHygiene.depth

  private let program: SchemaProgram
  private var canonicalizer = Canonicalizer(mode: .bundle)
  /// The body as the canonicaliser wants it, and what it makes of it.
  private var envelope = ByteBuffer(capacity: 16 * 1024)
  private var tape = JSONTape(capacity: 2048)
  private var writtenTape = JSONTape(capacity: 2048)
  private var document = ByteBuffer(capacity: 16 * 1024)
  /// How many findings the body at hand gets.
  private var limit = PublishIntake.mostFindings

  /// Memory that is kept for the next body, in bytes; what a larger body took is given back.
  private static let keptMemory = 4 << 20

  /// Compiles the schemas.
  /// - Throws: `SchemaError` when an embedded schema does not compile, which a test excludes.
  public init() throws {
    program = try SchemaProgram(embedded: "publish-request")
    canonicalizer.mentionsUnknown = false
    canonicalizer.cutsToSeconds = true
  }

  /// Takes a request to publish.
  ///
  /// Members that nobody knows are ignored. `null` stands for leaving out, where a member may be left out.
  /// - Parameters:
  ///   - now: fills in times that the document does not say.
  ///   - mostFindings: how many findings are listed; looking for them ends there.
  public func publication(
    _ body: JSONValue, now: Timestamp, mostFindings: Int = PublishIntake.mostFindings
  ) -> Outcome<PublishRequest> {
    body.withNode { node in
      self.limit = max(2, mostFindings)
      switch read(node, BodyComposer(body: node, item: nil, now: now)) {
      case .refused(let findings): return .refused(findings)
      case .taken(let intake):
        guard let contentType = intake.contentType else { return .refused([Self.unexplained]) }
        return .taken(
          PublishRequest(
            title: node.text("title") ?? "", description: node.text("description"), contentType: contentType,
            contentData: intake.document, tags: node.texts("tags") ?? [], language: node.language ?? "en",
            publicID: node.text("public_id") ?? "", canFork: node.member("can_fork")?.bool ?? true,
            forkedFromID: node.text("forked_from_id")?.lowercased(),
            originalAuthorUsername: intake.originalAuthor))
      }
    }
  }

  /// Takes a request to change what is published; only the members that are there are looked at.
  ///
  /// `null` stands for leaving out, but for the description, which it takes away. `public_id` and `forked_from_id`
  /// cannot be changed and are ignored; another `can_fork` than the item's is refused.
  /// - Parameters:
  ///   - current: what is stored; a document takes from it what it does not say itself.
  ///   - now: fills in times that neither says.
  ///   - mostFindings: how many findings are listed; looking for them ends there.
  public func change(
    _ body: JSONValue, current: PublishedItem, now: Timestamp, mostFindings: Int = PublishIntake.mostFindings
  ) -> Outcome<PublishChange> {
    body.withNode { node in
      self.limit = max(2, mostFindings)
      switch read(node, BodyComposer(body: node, item: current, now: now)) {
      case .refused(let findings): return .refused(findings)
      case .taken(let intake):
        var change = PublishChange()
        change.title = node.text("title")
        if let description = node.member("description") { change.description = .some(description.string) }
        if node.text("content_type") != nil { change.contentType = intake.contentType }
        if node.holds("content_data") { change.contentData = intake.document }
        change.tags = node.texts("tags")
        change.language = node.language
        return .taken(change)
      }
    }
  }

  // MARK: Reading

  /// What a body says beside its plain members.
  private struct Reading {
    let contentType: ContentType?
    let document: [UInt8]
    let originalAuthor: String?
  }

  private func read(_ body: JSONNode, _ composer: BodyComposer) -> Outcome<Reading> {
    guard body.kind == .object else { return .refused(violations(of: body).map(Self.finding)) }
    guard let text = body.member("content_data"), text.kind == .string else {
      return read(body, composer, inner: nil, trouble: nil)
    }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: text.textBytes)
      return document.withRoot { root in
        if root.kind == .object { return read(body, composer, inner: root, trouble: nil) }
        return read(body, composer, inner: nil, trouble: "content_data is a string that holds no object")
      }
    } catch {
      return read(body, composer, inner: nil, trouble: "content_data is a string that is not JSON: \(error.message)")
    }
  }

  /// - Parameters:
  ///   - inner: the document that was taken out of a string.
  ///   - trouble: why there is none in the string that there is.
  private func read(
    _ body: JSONNode, _ composer: BodyComposer, inner: JSONNode?, trouble: String?
  ) -> Outcome<Reading> {
    var findings = FindingList(places: BodyPlaces(body: body, inner: inner), limit: limit)
    findings.look(at: body, prefix: [])
    if let inner { findings.look(at: inner, prefix: [BodyPlaces.document]) }
    if findings.isTooDeep { return .refused(findings.list) }
    if let trouble { findings.add(.documentInString, trouble, at: JSONPointer([BodyPlaces.document])) }

    defer { giveBackMemory() }
    composer.write(inner: inner, hasTrouble: trouble != nil, into: &envelope)
    tape.removeAll()
    // It was made of values that were parsed already.
    guard let parse = try? tape.parse(envelope.bytes) else { return .refused([Self.unexplained]) }
    let item = JSONNode(text: envelope.start, tokens: tape.tokens, index: parse.root)
    for violation in violations(of: item) where composer.isFromBody(violation.pointer) {
      findings.add(Self.finding(violation))
    }
    composer.check(inner: inner, &findings)
    guard findings.isEmpty else { return .refused(findings.list) }

    canonicalizer.writeDocument(of: item, id: composer.documentID(of: item), into: &document)
    for issue in canonicalizer.issues where issue.code.severity == .error && composer.isFromBody(issue.pointer) {
      findings.add(issue.code, issue.message, at: issue.pointer)
    }
    if let type = composer.contentType { checkIDs(type, &findings) }
    guard findings.isEmpty else { return .refused(findings.list) }
    return .taken(
      Reading(
        contentType: composer.contentType, document: document.copy(0..<document.count),
        originalAuthor: composer.originalAuthor(inner: inner)))
  }

  /// Looks for ids that stand twice in the document that was written.
  private func checkIDs(_ type: ContentType, _ findings: inout FindingList) {
    // Ids that were all derived differ.
    guard !canonicalizer.innerIDs.isEmpty else { return }
    writtenTape.removeAll()
    guard let parse = try? writtenTape.parse(document.bytes) else { return }
    let root = JSONNode(text: document.start, tokens: writtenTape.tokens, index: parse.root)
    for twice in RepeatedIDs.find(in: root, type, limit: limit) {
      findings.add(
        .idTwice, "this id is that of \(twice.first) already",
        at: JSONPointer([BodyPlaces.document] + twice.place + [.member("id")]))
    }
  }

  private func violations(of node: JSONNode) -> [SchemaViolation] {
    program.violations(node, limit: limit)
  }

  private func giveBackMemory() {
    envelope.removeAll()
    document.removeAll()
    if envelope.capacity > Self.keptMemory { envelope = ByteBuffer(capacity: 16 * 1024) }
    if document.capacity > Self.keptMemory { document = ByteBuffer(capacity: 16 * 1024) }
    if tape.capacity * MemoryLayout<JSONToken>.stride > Self.keptMemory { tape = JSONTape(capacity: 2048) }
    if writtenTape.capacity * MemoryLayout<JSONToken>.stride > Self.keptMemory {
      writtenTape = JSONTape(capacity: 2048)
    }
  }
}
