import Content
import HTTPTypes
import Hummingbird
import JSONBundle
import JSONText
import Markdown
import Pages
import RegistryModel
import RegistryStore

/// The routes for people with a browser: pages, downloads, the feed, the sitemap and the pages' assets.
package enum PageRoutes {
  /// The paths of the routes. The OpenAPI document does not describe them.
  package static let paths: Set<String> = [
    "/", "/c/{public_id}", "/c/{public_id}.md", "/c/{public_id}.jsonl", "/c/{public_id}.fleetpack", "/u/{username}",
    "/feed.atom", "/sitemap.xml", "/robots.txt", "/assets/{name}",
  ]

  /// Adds the routes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = PageHandlers(registry: registry)
    routes.get("/") { request, _ in try await handlers.list(request) }
    routes.get("/c/{public_id}.md") { try await handlers.note($0, $1) }
    routes.get("/c/{public_id}.jsonl") { try await handlers.bundle($0, $1) }
    routes.get("/c/{public_id}.fleetpack") { try await handlers.pack($0, $1) }
    routes.get("/c/{public_id}") { try await handlers.item($0, $1) }
    routes.get("/u/{username}") { try await handlers.author($0, $1) }
    routes.get("/feed.atom") { request, _ in try await handlers.feed(request) }
    routes.get("/sitemap.xml") { request, _ in try await handlers.sitemap(request) }
    routes.get("/robots.txt") { request, _ in handlers.robots(request) }
    routes.get("/assets/{name}") { try handlers.asset($0, $1) }
  }

  /// Whether a path belongs to a page for people, where answers cost more than a file.
  static func isPage(_ path: String) -> Bool {
    path == "/" || path.hasPrefix("/c/") || path.hasPrefix("/u/") || path == "/feed.atom" || path == "/sitemap.xml"
  }

  /// Whether a problem is answered with a page: the path is a page's, or a browser asks outside the interface.
  static func isForPeople(_ request: Request) -> Bool {
    let path = request.uri.path
    if isPage(path) { return true }
    return !path.hasPrefix(RegistryRouter.prefix) && request.headers[.accept]?.contains("text/html") == true
  }
}

/// Handles requests for pages. The answers are public reads, the same for every caller; they contain nothing of items
/// that are not public.
struct PageHandlers: Sendable {
  /// The number of items on a page.
  private static let pageLength = 20
  /// The number of items in the feed, and in each sitemap.
  private static let (feedLength, sitemapLength) = (50, 5000)
  /// The size of a document that takes about a millisecond to write as a page, in bytes.
  private static let largeDocument = 64 << 10

  let registry: Registry

  // MARK: Pages

  /// Handles `GET /`: returns the items that a search finds, or all of them.
  func list(_ request: Request) async throws -> Response {
    var parameters = QueryParameters(form: request.head.path ?? "")
    var query = ContentHandlers.filters(&parameters)
    let number = Self.pageNumber(&parameters)
    try parameters.check()
    let (items, hasMore) = try await page(number, of: &query)
    return .page(
      request, writer(for: request).list(items, ItemSearch(query, page: number), hasMore: hasMore))
  }

  /// Handles `GET /c/{public_id}`: returns an item's page and counts a view, unless the client has the page.
  func item(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let isView = request.method == .get && !request.headers.contains(.ifNoneMatch)
    let content = try await content(context, countingView: isView)
    let lineage = try await lineage(of: content.head)
    let writer = writer(for: request)
    return .page(
      request, try await Self.made(from: content) { writer.item(try LibraryItem(content), lineage: lineage) })
  }

  /// Handles `GET /u/{username}`: returns an author's page with the author's public items, newest first.
  func author(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let account = try await ProfileHandlers(registry: registry).account(context)
    var parameters = QueryParameters(form: request.head.path ?? "")
    let number = Self.pageNumber(&parameters)
    try parameters.check()
    var query = PublicQuery()
    query.author = account.user.id
    let (items, hasMore) = try await page(number, of: &query)
    let stats = try await registry.store.stats(of: account.user.id)
    var author = PageAuthor(
      name: account.user.username, since: account.user.createdAt, contributions: stats.contributions,
      forks: stats.forks)
    let profile = account.publicProfile
    author.bio = profile.bio
    author.location = profile.location
    author.nationality = profile.nationality
    author.accounts = (profile.socialLinks ?? []).map { "\($0.platform.rawValue): \($0.handle)" }
    return .page(request, writer(for: request).author(author, items, page: number, hasMore: hasMore))
  }

  /// Returns the page for a problem.
  func page(for problem: Problem, _ request: Request, requestID: String) -> Response {
    var findings = problem.parameterFindings.map { "\($0.finding.message): \($0.finding.fix)" }
    if problem.status == .notAcceptable { findings.append(problem.detail) }
    let text = writer(for: request).error(
      status: problem.status.code, code: problem.code, findings: findings, requestID: requestID)
    var fields = problem.headers
    fields[.contentType] = Response.pageType
    fields[.contentSecurityPolicy] = PagePolicy.text
    return Response(status: problem.status, headers: fields, body: .init(byteBuffer: .init(string: text)))
  }

  // MARK: Files

  // A downloaded item is a copy, so that it credits its author when it is published again.

  /// Handles `GET /c/{public_id}.md`: returns an item as a note.
  func note(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let content = try await content(context, countingView: false)
    let name = content.head.publicID + ".md"
    let text = try await Self.made(from: content) {
      let record = try Record(.item(LibraryItem(copyOf: content)))
      return MarkdownFormat(bundle: JSONBundleFormat(.lines)).itemWriter().text(of: record, at: name)
    }
    guard let text else {
      throw Problem(
        .notAcceptable, "not_markdown", "Markdown cannot express this item without a loss: download it as a bundle.")
    }
    return .publicRead(request, text, type: "text/markdown; charset=utf-8", headers: Self.attachment(name))
  }

  /// Handles `GET /c/{public_id}.jsonl`: returns an item as a bundle with one record.
  func bundle(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let content = try await content(context, countingView: false)
    let text = try await Self.made(from: content) {
      let line = try TypedRecord.item(LibraryItem(copyOf: content)).canonicalLine()
      return Array("\(LibraryItem.bundleHeader)\n\(line)\n".utf8)
    }
    return .publicRead(
      request, text, type: "application/x-ndjson", headers: Self.attachment(content.head.publicID + ".jsonl"))
  }

  /// Handles `GET /c/{public_id}.fleetpack`: returns an item as a content pack.
  func pack(_ request: Request, _ context: RegistryContext) async throws -> Response {
    let content = try await content(context, countingView: false)
    // Packs are written to files, so they always wait for the disk.
    let bytes = try await withTaskExecutorPreference(globalConcurrentExecutor) { try ItemPack.bytes(of: content) }
    return .publicRead(
      request, bytes, type: ItemPack.mediaType, headers: Self.attachment(content.head.publicID + ".fleetpack"))
  }

  /// Handles `GET /feed.atom`: returns the newest items that a search finds, or the newest of all items.
  func feed(_ request: Request) async throws -> Response {
    var parameters = QueryParameters(form: request.head.path ?? "")
    var query = ContentHandlers.filters(&parameters)
    try parameters.check()
    (query.order, query.limit) = (.newest, Self.feedLength)
    let items = try await registry.store.list(query).items.map { LibraryItem($0) }
    return .publicRead(
      request, Array(writer(for: request).feed(items, ItemSearch(query, page: 1)).utf8),
      type: "application/atom+xml; charset=utf-8", vary: Response.pageVary)
  }

  /// Handles `GET /sitemap.xml`: returns the index of the sitemaps, or, with a cursor, the addresses of the items after
  /// it. Oldest items come first, so new ones do not move the others to another sitemap.
  func sitemap(_ request: Request) async throws -> Response {
    var parameters = QueryParameters(target: request.head.path ?? "")
    var paging = ContentHandlers.Paging()
    ContentHandlers.parseCursor(&parameters, &paging, isByForks: false)
    try parameters.check()
    var query = PublicQuery()
    query.order = .oldest
    let writer = writer(for: request)
    guard paging.isByCursor else {
      var cursors = [""]
      (query.limit, query.offset) = (1, Self.sitemapLength - 1)
      while let end = try await registry.store.list(query).next {
        query.after = end
        cursors.append(PageCursor.text(end))
      }
      return .publicRead(request, Array(writer.sitemapIndex(cursors).utf8), type: "application/xml")
    }
    query.after = paging.after
    var items: [LibraryItem] = []
    repeat {
      let page = try await registry.store.list(query)
      items += page.items.map { LibraryItem($0) }
      query.after = page.next
    } while query.after != nil && items.count < Self.sitemapLength
    let listed = items
    return await withTaskExecutorPreference(globalConcurrentExecutor) {
      .publicRead(request, Array(writer.sitemap(listed).utf8), type: "application/xml")
    }
  }

  /// Handles `GET /robots.txt`.
  func robots(_ request: Request) -> Response {
    let text =
      "User-agent: *\nDisallow: \(RegistryRouter.prefix)/\nSitemap: \(writer(for: request).origin)/sitemap.xml\n"
    return .publicRead(request, Array(text.utf8), type: "text/plain; charset=utf-8")
  }

  /// Handles `GET /assets/{name}`. The address of the current version may be kept forever.
  func asset(_ request: Request, _ context: RegistryContext) throws -> Response {
    guard let name = context.parameters.get("name"), let asset = PageAsset.all.first(where: { $0.name == name }) else {
      throw Problem.noRoute
    }
    var response = Response.publicRead(request, asset.bytes, type: asset.mediaType)
    if request.uri.queryParameters["v"].map(String.init) == asset.version {
      response.headers[.cacheControl] = "public, max-age=31536000, immutable"
    }
    return response
  }

  private static func attachment(_ name: String) -> HTTPFields {
    [.contentDisposition: "attachment; filename=\"\(name)\""]
  }

  // MARK: Content

  private static func pageNumber(_ parameters: inout QueryParameters) -> Int {
    parameters.number("page", in: 1...10_000) ?? 1
  }

  private func page(_ number: Int, of query: inout PublicQuery) async throws -> (items: [LibraryItem], hasMore: Bool) {
    query.limit = Self.pageLength
    query.offset = (number - 1) * Self.pageLength
    let page = try await registry.store.list(query)
    return (page.items.map { LibraryItem($0) }, page.next != nil)
  }

  private func content(_ context: RegistryContext, countingView: Bool) async throws -> SharedContent {
    guard let text = context.parameters.get("public_id"), ContentHandlers.isSlug(text),
      let content = try await registry.store.content(publicID: text, countingView: countingView)
    else { throw Problem.notFound }
    return content
  }

  private func lineage(of head: PublicationHead) async throws -> [LineageStep] {
    guard head.forkedFromID != nil else { return [] }
    let depth = 10
    let steps = try await registry.store.lineage(.id(head.id), depth: depth) ?? []
    return zip(0..., steps).map { index, step in
      LineageStep(
        title: step.title, author: step.creator, date: step.createdAt, isCurrent: step.isCurrent,
        publicID: index == 0 && head.chainDepth <= depth ? head.originalPublicID : nil)
    }
  }

  /// Returns what `make` makes from an item; a large document is read on another thread, because connections share the
  /// thread of their event loop.
  private static func made<Result: Sendable>(
    from content: SharedContent, _ make: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard content.contentData.count > largeDocument else { return try make() }
    return try await withTaskExecutorPreference(globalConcurrentExecutor) { try make() }
  }

  // MARK: Readers

  /// Returns the writer for a request: with the registry's addresses and the reader's language.
  private func writer(for request: Request) -> PageWriter {
    let parameters = QueryParameters(form: request.head.path ?? "")
    let chosen = parameters.all.first { $0.name == PageWriter.languageParameter }?.value.flatMap(PageLanguage.init)
    let origin = registry.settings.publicURL.map(Self.origin) ?? Self.origin(request, registry.settings)
    return PageWriter(
      origin: origin, items: registry.settings.publicURL ?? origin + "/c",
      language: chosen ?? Self.preferredLanguage(request.headers[values: .acceptLanguage].joined(separator: ",")),
      isLanguageChosen: chosen != nil)
  }

  /// Returns scheme and host of an address.
  private static func origin(_ address: String) -> String {
    address.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
  }

  /// Returns the address under which a client reached the registry. A host with characters that do not belong there is
  /// replaced.
  private static func origin(_ request: Request, _ settings: RegistrySettings) -> String {
    let host = request.head.authority ?? ""
    let isHost = !host.isEmpty && host.utf8.count <= 255 && host.utf8.allSatisfy(isHostByte)
    let isSecure = settings.trustsProxy && request.headers[ForwardedAddress.scheme] == "https"
    return "\(isSecure ? "https" : "http")://\(isHost ? host : "localhost")"
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || ".-:[]".utf8.contains(byte)
  }

  /// Returns the language with the highest weight in `Accept-Language` (RFC 9110, 12.5.4), or else English.
  private static func preferredLanguage(_ header: String) -> PageLanguage {
    var best: (language: PageLanguage, weight: Double)?
    for range in header.split(separator: ",").prefix(20) {
      let parts = range.split(separator: ";").map { $0.trimmingPrefix(while: \.isWhitespace) }
      guard let tag = parts.first, let language = PageLanguage(rawValue: tag.prefix(2).lowercased()) else { continue }
      guard tag.dropFirst(2).isEmpty || tag.dropFirst(2).first == "-" else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    return best?.language ?? .english
  }
}

/// The policy of pages: no inline style or script, and nothing from other hosts except pictures in Markdown.
enum PagePolicy {
  static let text =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' https:; form-action 'self'; "
    + "base-uri 'none'; frame-ancestors 'none'"
}

extension Response {
  /// The media type of pages.
  static let pageType = "text/html; charset=utf-8"
  /// The request fields on which pages depend.
  static let pageVary = "Accept-Language, \(PublicRead.vary)"

  /// Makes the answer with a page.
  static func page(_ request: Request, _ text: String) -> Response {
    publicRead(
      request, Array(text.utf8), type: pageType, headers: [.contentSecurityPolicy: PagePolicy.text],
      vary: pageVary)
  }
}

extension ItemSearch {
  fileprivate init(_ query: PublicQuery, page: Int) {
    self.init(
      words: query.text, type: query.contentType.flatMap(ContentType.init), language: query.language, tags: query.tags,
      order: query.order.rawValue, page: page)
  }
}
