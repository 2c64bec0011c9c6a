import Content
import HTTPTypes
import Hummingbird
import JSONText
import Pages
import RegistryModel
import RegistryStore

extension ContentHandlers {
  /// The maximum position for `offset` and `page`; beyond it, clients use a cursor.
  static let furthestOffset = 1_000_000

  /// Handles `GET /content/public`: returns the public items.
  func listPublic(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let question = try PublicListQuery(target: request.head.path ?? "")
    let page = try await registry.store.list(question.query)
    let text = ListJSON(page)
    let fields = question.fields(page, text)
    if EntityTag.isKnown(text.digest, request.headers) { return .notModified(fields) }
    return .json(.ok, question.body(page, text), headers: fields)
  }

  /// Handles `GET /content/mine`: returns the caller's items, including unpublished ones, in the order of their
  /// changes.
  func listMine(_ request: Request, _ context: RegistryContext) async throws -> Response {
    var context = context
    let owner = try await context.requirePrincipal(of: request, registry).userID
    let target = request.head.path ?? ""
    var parameters = QueryParameters(target: target)
    var since: Timestamp?
    if let text = parameters.single("since") {
      since = WireDate.parse(text)
      if since == nil {
        parameters.refuse(
          "since", "`since` must be a date and time as in `2026-01-05T10:11:12Z`",
          why: "changes are listed by their time in UTC", fix: "send the last `updated_at` that you received")
      }
    }
    var paging = Paging()
    paging.limit = parameters.number("limit", in: 1...100) ?? paging.limit
    Self.parseCursor(&parameters, &paging, isByForks: false)
    try parameters.check()
    let page = try await registry.store.list(ownedBy: owner, since: since, after: paging.after, limit: paging.limit)
    let body = Self.body(of: page, paging, capacity: 512 * page.items.count) { out in
      for (index, head) in page.items.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        out.appendOwned(head)
      }
    }
    return .json(.ok, body, headers: Self.fields(of: page, paging, target, parameters))
  }

  /// The paging parameters of a list.
  struct Paging {
    /// The number of items on a page. The default is high because apps do not request pages and show only the first
    /// one.
    var limit = 100
    var offset = 0
    var page: Int?
    var after: PagePosition?
    /// Whether the request has a `cursor`, even an empty one: the answer is then an object.
    var isByCursor = false
  }

  static func filters(_ parameters: inout QueryParameters) -> PublicQuery {
    var query = PublicQuery()
    // The second name is checked even when both are given.
    for name in ["content_type", "type"] {
      guard let text = parameters.single(name) else { continue }
      let type = contentType(text)?.rawValue
      if type == nil {
        parameters.refuse(
          name, "`\(name)` must be `checklist`, `practice_guide` or `flashcard_deck`",
          why: "only these types are published", fix: "send one of these, or leave `\(name)` out")
      }
      query.contentType = query.contentType ?? type
    }
    query.tags = parameters.repeated("tag")
    if query.tags.count > 20 {
      parameters.refuse(
        "tag", "`tag` is given \(query.tags.count) times", why: "an item has at most 20 tags", fix: "send fewer of them"
      )
    }
    query.language = parameters.single("language")
    query.text = parameters.single("q")
    if let text = query.text, text.utf8.count > 4000 || text.unicodeScalars.count > 1000 {
      parameters.refuse(
        "q", "`q` is longer than 1000 characters", why: "a search is a few words", fix: "search for fewer words")
    }
    if let sort = parameters.single("sort") {
      let order = ListOrder.allCases.first { $0.rawValue.utf8.elementsEqual(sort.utf8) }
      if order == nil {
        parameters.refuse(
          "sort", "`sort` must be `newest`, `oldest` or `most_forked`", why: "these are the orders of lists",
          fix: "send one of these, or leave `sort` out")
      }
      query.order = order ?? query.order
    }
    return query
  }

  static func paging(_ parameters: inout QueryParameters, _ order: ListOrder) -> Paging {
    var paging = Paging()
    paging.limit = parameters.number("limit", in: 1...100) ?? paging.limit
    let offset = parameters.number("offset", in: 0...furthestOffset)
    paging.page = parameters.number("page", in: 1...10_000)
    parseCursor(&parameters, &paging, isByForks: order == .mostForked)
    // A cursor takes precedence over a page, and a page over an offset.
    if !paging.isByCursor {
      paging.offset = paging.page.map { ($0 - 1) * paging.limit } ?? offset ?? 0
    }
    return paging
  }

  static func parseCursor(_ parameters: inout QueryParameters, _ paging: inout Paging, isByForks: Bool) {
    guard let text = parameters.single("cursor") else { return }
    paging.isByCursor = true
    if text.isEmpty { return }
    paging.after = PageCursor.position(text)
    if paging.after.map({ ($0.forks != nil) != isByForks }) ?? true {
      parameters.refuse(
        "cursor", "`cursor` was not issued by this registry for this list", why: "it is the position of the next page",
        fix: "send `next_cursor` of the previous page, or an empty `cursor` to begin")
    }
  }

  /// Returns the type with a name, in the long form or in the short form of early clients.
  private static func contentType(_ text: String) -> ContentType? {
    switch text {
    case "guide": .practiceGuide
    case "deck": .flashcardDeck
    default: ContentType.allCases.first { $0.rawValue.utf8.elementsEqual(text.utf8) }
    }
  }

  /// Returns the body of a page; `write` writes its items.
  static func body(
    of page: ContentPage, _ paging: Paging, capacity: Int, _ write: (inout JSONOutput) -> Void
  ) -> JSONOutput {
    var out = JSONOutput(capacity: capacity + 128)
    out.append(paging.isByCursor ? "{\"items\":[" : "[")
    write(&out)
    out.append(UInt8(ascii: "]"))
    if paging.isByCursor {
      out.append(",\"next_cursor\":")
      out.appendJSONString(orNull: page.next.map(PageCursor.text))
      out.append(UInt8(ascii: "}"))
    }
    return out
  }

  /// Returns a page's header fields with the link to the next page.
  static func fields(
    of page: ContentPage, _ paging: Paging, _ target: String, _ parameters: QueryParameters
  ) -> HTTPFields {
    guard let next = page.next.map(PageCursor.text) else { return HTTPFields() }
    return [.nextCursor: next, .link: NextLink.text(target, parameters, paging, cursor: next)]
  }
}

/// The query of a request for the public list, parsed from its target.
struct PublicListQuery: Sendable {
  let query: PublicQuery
  private let target: String
  private let parameters: QueryParameters
  private let paging: ContentHandlers.Paging

  /// Parses a target such as `/api/v1/content/public?…`.
  /// - Throws: `Problem` 422 with the parameters that are not accepted.
  init(target: String) throws {
    var parameters = QueryParameters(target: target)
    var query = ContentHandlers.filters(&parameters)
    paging = ContentHandlers.paging(&parameters, query.order)
    try parameters.check()
    query.limit = paging.limit
    query.offset = paging.offset
    query.after = paging.after
    self.query = query
    self.target = target
    self.parameters = parameters
  }

  /// Returns the answer's body.
  func body(_ page: ContentPage, _ text: ListJSON) -> JSONOutput {
    ContentHandlers.body(of: page, paging, capacity: text.capacity) { text.write(page, to: &$0) }
  }

  /// Returns the answer's header fields, with the link to the next page.
  func fields(_ page: ContentPage, _ text: ListJSON) -> HTTPFields {
    // The tag is weak: like an item's, it does not change with the view counts.
    var fields = PublicRead.fields(tag: "W/" + EntityTag.text(text.digest))
    fields.append(contentsOf: ContentHandlers.fields(of: page, paging, target, parameters))
    return fields
  }
}

/// The items of a public list as JSON, with gaps for the view counts, which do not change the entity tag.
struct ListJSON {
  private let bytes: [UInt8]
  /// The positions of the counts, in ascending order.
  private let holes: [Int]
  /// The SHA-256 of everything in the page but the view counts.
  let digest: [UInt8]

  init(_ page: ContentPage) {
    let rows = page.items
    var out = JSONOutput(capacity: 512 * rows.count + 16)
    var holes: [Int] = []
    holes.reserveCapacity(rows.count)
    for (index, head) in rows.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendListedOpening(head)
      holes.append(out.count)
      out.appendListedEnd(head)
    }
    bytes = out.copy(0..<out.count)
    self.holes = holes
    if let next = page.next { out.append(utf8: PageCursor.text(next)) }
    digest = Digest.sha256(out.bytes.span)
  }

  /// The buffer capacity that the JSON and its counts need.
  var capacity: Int { bytes.count + 20 * holes.count }

  /// Writes the items of a page.
  func write(_ page: ContentPage, to out: inout JSONOutput) {
    let bytes = bytes
    var at = 0
    for (index, hole) in holes.enumerated() {
      out.append(bytes.span.extracting(at..<hole))
      out.appendNumber(page.items[index].viewCount)
      at = hole
    }
    out.append(bytes.span.extracting(droppingFirst: at))
  }
}

/// A list position in the form that clients send back: `1767607872123_2f6c…`, the time in milliseconds and the id. In
/// the order of copies, their number comes first: `12_1767607872123_2f6c…`.
enum PageCursor {
  /// Returns the text form of a position.
  static func text(_ position: PagePosition) -> String {
    let parts = [position.forks, position.time.milliseconds].compactMap { $0.map(String.init) }
    return (parts + [position.id.text]).joined(separator: "_")
  }

  /// Parses a position; returns nil for anything that `text` does not write.
  static func position(_ text: String) -> PagePosition? {
    let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3,
      let id = RegistryID(String(decoding: parts[parts.count - 1], as: UTF8.self))
    else { return nil }
    let numbers = parts.dropLast().compactMap(number)
    guard numbers.count == parts.count - 1 else { return nil }
    return PagePosition(
      forks: numbers.count == 2 ? numbers[0] : nil, time: Timestamp(milliseconds: numbers[numbers.count - 1]), id: id)
  }

  private static func number(_ text: Substring.UTF8View) -> Int64? {
    guard (1...15).contains(text.count), text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }
}

/// Writes the `Link` to the next page (RFC 8288): the same query, continued with the same kind of paging.
enum NextLink {
  /// - Parameter target: the request's target.
  static func text(
    _ target: String, _ parameters: QueryParameters, _ paging: ContentHandlers.Paging, cursor: String
  ) -> String {
    let path = String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    var query = ""
    for (name, value) in parameters.all where !["cursor", "offset", "page"].contains(name) {
      guard let value else { continue }
      query += "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))&"
    }
    if paging.page != nil && !paging.isByCursor {
      query += "page=\((paging.page ?? 1) + 1)"
    } else if !paging.isByCursor && paging.offset + paging.limit <= ContentHandlers.furthestOffset
      && !path.hasSuffix("/mine")
    {
      query += "offset=\(paging.offset + paging.limit)"
    } else {
      query += "cursor=\(cursor)"
    }
    return "<\(path)?\(query)>; rel=\"next\""
  }
}
