import Content
import Diagnostics
import JSONSchema
import JSONText
import Validation

/// Accepts the bodies of publish requests as a registry does: lenient about ids, defaults and spelling, strict about
/// types and limits. Accepted bodies are normalised; refused bodies get findings with places.
///
/// An accepted body is complete (ids, times, defaults), in the app's spelling and order, with times in whole seconds;
/// if it is submitted again, it is accepted unchanged. Use one intake per thread. No body makes the intake trap. The
/// nesting depth and the number of listed findings are limited, and the time is linear in the size of the body.
/// - Source: formats/schemas/publish-request.schema.json
public final class PublishIntake {
  /// The result for a body.
  public enum Outcome<Taken: Sendable>: Sendable {
    /// The body may be stored.
    case taken(Taken)
    /// The body was refused. The findings are in the order of their places; there is at least one.
    case refused([IntakeFinding])
  }

  /// The default maximum number of findings that are listed, including the one that reports that there are more.
  public static let mostFindings = 100
  /// The maximum depth of nested values in a body.
  public static let mostDepth = BodyHygiene.depth

  private let program: SchemaProgram
  private var canonicalizer = Canonicalizer(mode: .bundle)
  /// The body in the form that the canonicaliser reads, and its result.
  private var envelope = ByteBuffer(capacity: 16 * 1024)
  private var tape = JSONTape(capacity: 2048)
  private var writtenTape = JSONTape(capacity: 2048)
  private var document = ByteBuffer(capacity: 16 * 1024)
  /// The maximum number of findings for the current body.
  private var limit = PublishIntake.mostFindings

  /// How much memory is kept for the next body, in bytes; memory beyond that is released.
  private static let keptMemory = 4 << 20

  /// Compiles the schemas.
  /// - Throws: `SchemaError` if an embedded schema does not compile, which a test rules out.
  public init() throws {
    program = try SchemaProgram(embedded: "publish-request")
    canonicalizer.mentionsUnknown = false
    canonicalizer.cutsToSeconds = true
  }

  /// Accepts or refuses a request to publish.
  ///
  /// Unknown members are ignored. `null` counts as missing, if the member may be missing.
  /// - Parameters:
  ///   - now: the value of times that the document does not have.
  ///   - mostFindings: the number of findings that are listed; the search ends there.
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

  /// Accepts or refuses a request to change a publication; only the members that are present are checked.
  ///
  /// `null` counts as missing, except for the description, which `null` removes. `public_id` and `forked_from_id`
  /// cannot be changed and are ignored; a `can_fork` that differs from the item's is refused.
  /// - Parameters:
  ///   - current: the stored item, whose values replace missing ones.
  ///   - now: the value of times that neither the document nor the item has.
  ///   - mostFindings: the number of findings that are listed; the search ends there.
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

  /// The results of reading a body, apart from its plain members.
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
        return read(body, composer, inner: nil, trouble: "content_data is a string that does not contain an object")
      }
    } catch {
      return read(body, composer, inner: nil, trouble: "content_data is a string that is not JSON: \(error.message)")
    }
  }

  /// - Parameters:
  ///   - inner: the document that was extracted from a string.
  ///   - trouble: why the string does not contain a document.
  private func read(
    _ body: JSONNode, _ composer: BodyComposer, inner: JSONNode?, trouble: String?
  ) -> Outcome<Reading> {
    var findings = FindingList(places: BodyPlaces(body: body, inner: inner), limit: limit)
    findings.check(body, prefix: [])
    if let inner { findings.check(inner, prefix: [BodyPlaces.document]) }
    if findings.isTooDeep { return .refused(findings.list) }
    if let trouble { findings.add(.documentInString, trouble, at: JSONPointer([BodyPlaces.document])) }

    defer { giveBackMemory() }
    composer.write(inner: inner, hasTrouble: trouble != nil, into: &envelope)
    tape.removeAll()
    // The JSON was made from parsed values, so parsing it cannot fail.
    guard let parse = try? tape.parse(envelope.bytes.span) else { return .refused([Self.unexplained]) }
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

  /// Finds ids that occur twice in the written document.
  private func checkIDs(_ type: ContentType, _ findings: inout FindingList) {
    // If all ids were derived, they are distinct.
    guard !canonicalizer.innerIDs.isEmpty else { return }
    writtenTape.removeAll()
    guard let parse = try? writtenTape.parse(document.bytes.span) else { return }
    let root = JSONNode(text: document.start, tokens: writtenTape.tokens, index: parse.root)
    for twice in RepeatedIDs.find(in: root, type, limit: limit) {
      findings.add(
        .idTwice, "this id already belongs to \(twice.first)",
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

/// Finds elements of a document with the same id: sections and steps of a checklist, or cards of a deck.
///
/// The stored form of a document is checked, in which every id is a UUID in upper case. Two strings that become the
/// same id count as the same, and so does a derived id that occurs elsewhere.
struct RepeatedIDs {
  /// An element with the id of an earlier element.
  struct Repeated {
    /// The element's path from the document's outermost value.
    let place: [JSONPointer.Step]
    /// The path of the earlier element, such as `sections/0/items/1`.
    let first: String
  }

  private var seen: [Key: [JSONPointer.Step]] = [:]
  private var found: [Repeated] = []
  private let limit: Int

  private init(limit: Int) { self.limit = limit }

  /// Returns the second and all later elements with an id, in order, at most `limit`.
  static func find(in document: JSONNode, _ type: ContentType, limit: Int) -> [Repeated] {
    var ids = RepeatedIDs(limit: limit)
    switch type {
    case .checklist:
      ids.visitElements(of: document, "sections", []) { ids, section, place in
        ids.visitElements(of: section, "items", place) { _, _, _ in }
      }
    case .flashcardDeck: ids.visitElements(of: document, "cards", []) { _, _, _ in }
    case .practiceGuide: break
    }
    return ids.found
  }

  private mutating func visitElements(
    of owner: JSONNode, _ name: StaticString, _ around: [JSONPointer.Step],
    _ inside: (inout RepeatedIDs, JSONNode, [JSONPointer.Step]) -> Void
  ) {
    guard let list = owner.member(name), list.kind == .array else { return }
    var position = 0
    list.forEachElement { part in
      let place = around + [.member("\(name)"), .element(position)]
      position += 1
      recordID(of: part, place)
      inside(&self, part, place)
    }
  }

  private mutating func recordID(of part: JSONNode, _ place: [JSONPointer.Step]) {
    guard found.count < limit, let id = part.member("id"), let key = Key(id) else { return }
    if let first = seen[key] {
      found.append(Repeated(place: place, first: String(JSONPointer(first).description.dropFirst())))
    } else {
      seen[key] = place
    }
  }

  /// A key of the 36 bytes of an id, stored inline.
  private struct Key: Hashable {
    private let head: SIMD4<UInt64>
    private let tail: UInt32

    init?(_ id: JSONNode) {
      guard id.kind == .string, id.inner.count == 36, let base = UnsafeRawPointer(id.inner.baseAddress) else {
        return nil
      }
      head = base.loadUnaligned(as: SIMD4<UInt64>.self)
      tail = base.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
    }
  }
}
