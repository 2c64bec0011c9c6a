import Content
import JSONText

/// Writes public content as pages for a browser: lists, items, authors, errors, feeds and a sitemap.
///
/// A page depends only on its records, not on the reader. It contains no inline style and no script; the only
/// `script` element without an address is data for search engines. Without JavaScript everything can be read.
/// The records are those of FleetKit, with their public metadata; the writer knows neither requests nor stores.
public struct PageWriter: Sendable {
  /// The registry's address, such as `https://sail.example.org`, without a slash at the end.
  public var origin: String
  /// The address under which items are found, without a slash at the end.
  public var items: String
  /// The language of the interface.
  public var language: PageLanguage
  /// Whether links keep the language, because the reader chose it.
  public var isLanguageChosen: Bool

  /// Creates a writer.
  public init(origin: String, items: String, language: PageLanguage, isLanguageChosen: Bool) {
    self.origin = origin
    self.items = items
    self.language = language
    self.isLanguageChosen = isLanguageChosen
  }

  /// The name of the parameter with the language.
  public static let languageParameter = "hl"

  /// The maximum number of characters of a description in a list.
  private static let shownText = 240

  private typealias Values = [String: Any]

  // MARK: Pages

  /// Returns a page with items.
  /// - Parameters:
  ///   - search: the search that found the items.
  ///   - hasMore: whether there is a next page.
  public func list(_ items: [LibraryItem], _ search: ItemSearch, hasMore: Bool) -> String {
    var values = listed(items, search.page, hasMore: hasMore) { link("/", search.query(page: $0)) }
    values["heading"] = words[search.isEmpty ? "discover" : "results"]
    values["order"] = words[search.order ?? ItemSearch.orders[0]]
    values["words"] = search.words ?? ""
    values["orders"] = ItemSearch.orders.map { order in
      ["value": order, "name": words[order] ?? "", "isCurrent": search.order == order] as Values
    }
    values["types"] = ContentType.allCases.map { type in
      ["value": type.rawValue, "name": words[type.rawValue] ?? "", "isCurrent": search.type == type] as Values
    }
    var languages = PageLanguage.ofContent
    if let other = search.language, !languages.contains(where: { $0.code == other }) {
      languages.append((other, other))
    }
    values["contentLanguages"] = languages.map { code, name in
      ["value": code, "name": name, "isCurrent": search.language == code] as Values
    }
    values["hasChosenTags"] = !search.tags.isEmpty
    values["chosenTags"] = search.tags.map { tag in
      var rest = search
      rest.tags.removeAll { $0 == tag }
      return ["name": tag, "without": link("/", rest.query(page: 1))] as Values
    }
    if items.isEmpty, search.isEmpty, search.page == 1 { values["emptyText"] = words["nothingYet"] }
    return page(
      "list", title: search.isEmpty ? words["discover"] : words["results"], path: "/", search.query(page: search.page),
      feed: search.feedQuery, values: values)
  }

  /// Returns the page of an item.
  /// - Parameter lineage: the steps from the original to the item; empty for an original.
  public func item(_ item: LibraryItem, lineage: [LineageStep] = []) -> String {
    let publicID = item.publicID ?? ""
    var values: Values = [
      "type": words[item.contentType.rawValue] ?? "", "tags": tags(item), "hasTags": !item.tags.isEmpty,
      "openGraphType": "article", "data": data(item), "hasLineage": !lineage.isEmpty,
      "files": ["md", "jsonl", "fleetpack"].map { file in
        ["href": "/c/\(publicID).\(file)", "name": words["file." + file] ?? "", "file": "\(publicID).\(file)"] as Values
      },
    ]
    values["lang"] = Markup.language(item.language)
    values["lead"] = item.description.nonEmpty
    values["summary"] = item.description.nonEmpty.map { Markup.beginning(of: $0, scalars: Self.shownText) }
    values["author"] = author(item)
    values["published"] = item.publishedAt?.day
    values["changed"] = item.updatedAt?.day == item.publishedAt?.day ? nil : item.updatedAt?.day
    values["forks"] = item.forkCount > 0 ? item.forkCount : nil
    if item.forkedFromID != nil || item.originalAuthorUsername != nil {
      var original: Values = [:]
      original["name"] = item.originalAuthorUsername
      original["href"] = item.originalContentPublicID.map { link("/c/\($0)") }
      values["original"] = original
    }
    values["lineage"] = lineage.map { step in
      var shown: Values = ["date": step.date.day, "isCurrent": step.isCurrent]
      shown["title"] = step.title.nonEmpty
      shown["name"] = step.author
      shown["href"] = step.title.isEmpty || step.isCurrent ? nil : step.publicID.map { link("/c/\($0)") }
      return shown
    }
    values["print"] = words[item.contentType == .checklist ? "printBoxes" : "print"]
    if item.publicMetadata?.canFork ?? true {
      values["command"] = "fleetkit fork \(publicID) --into anyfleet.sqlite --registry \(origin)"
    }
    switch item.content {
    case .checklist(let checklist):
      values["sections"] = checklist.sections.map(section)
      values["isBlank"] = checklist.sections.isEmpty
    case .practiceGuide(let guide):
      values["guide"] = guide.markdown.nonEmpty.map { MarkdownHTML.html($0, below: 1, titled: item.title) }
      values["isBlank"] = guide.markdown.isEmpty
    case .flashcardDeck(let deck):
      values["cards"] = zip(1..., deck.cards).map(card)
      values["hasCards"] = !deck.cards.isEmpty
      values["isBlank"] = deck.cards.isEmpty
    case nil: values["isBlank"] = true
    }
    return page("item", title: item.title, path: "/c/\(publicID)", canonical: "\(items)/\(publicID)", values: values)
  }

  /// Returns the page of an author with the author's items.
  public func author(_ author: PageAuthor, _ items: [LibraryItem], page number: Int, hasMore: Bool) -> String {
    let path = Self.path(ofAuthor: author.name)
    var values = listed(items, number, hasMore: hasMore) { link(path, Self.pageQuery($0)) }
    values["order"] = words[ItemSearch.orders[0]]
    values["openGraphType"] = "profile"
    values["since"] = author.since.day
    values["contributions"] = author.contributions
    values["forkSum"] = author.forks
    values["bio"] = author.bio.nonEmpty
    values["summary"] = author.bio.nonEmpty.map { Markup.beginning(of: $0, scalars: Self.shownText) }
    values["place"] = [author.location, author.nationality].compactMap(\.nonEmpty).joined(separator: ", ").nonEmpty
    values["accounts"] = author.accounts
    values["hasAccounts"] = !author.accounts.isEmpty
    return page("author", title: author.name, path: path, Self.pageQuery(number), values: values)
  }

  /// Returns a page that explains why there is no other page.
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - code: the stable code of the problem.
  ///   - findings: sentences in English about parts of the request.
  ///   - requestID: the id under which the operator finds the request.
  public func error(status: Int, code: String, findings: [String], requestID: String?) -> String {
    let key = words["error.\(status)"] == nil ? "error.other" : "error.\(status)"
    var values: Values = [
      "text": words[key + ".text"] ?? "", "code": code, "findings": findings, "hasFindings": !findings.isEmpty,
      "isHidden": true,
    ]
    values["requestID"] = requestID
    return page("error", title: words[key], path: nil, values: values)
  }

  /// Returns an Atom feed (RFC 4287) of the newest items.
  /// - Parameter search: the search that found the items.
  public func feed(_ items: [LibraryItem], _ search: ItemSearch) -> String {
    let type = search.type.flatMap { words[$0.rawValue] }
    let parts = [words["site"], search.words, type, search.language].compactMap { $0 } + search.tags
    return render(
      "feed",
      [
        "self": origin + PercentEncoding.link("/feed.atom", search.feedQuery),
        "alternate": origin + PercentEncoding.link("/", search.feedQuery),
        "title": parts.joined(separator: " · "),
        "updated": (items.compactMap(\.updatedAt).max() ?? Timestamp(milliseconds: 0)).wholeSeconds,
        "entries": items.map(entry),
      ])
  }

  /// Returns a sitemap (sitemaps.org 0.9) of items.
  public func sitemap(_ items: [LibraryItem]) -> String { render("sitemap", ["entries": items.map(entry)]) }

  /// Returns the index of a registry's sitemaps.
  /// - Parameter cursors: the values of the parameter `cursor` under which the sitemaps are found.
  public func sitemapIndex(_ cursors: [String]) -> String {
    render("sitemaps", ["addresses": cursors.map { origin + PercentEncoding.link("/sitemap.xml", [("cursor", $0)]) }])
  }

  // MARK: Parts

  private func entry(_ item: LibraryItem) -> Values {
    var entry: Values = [
      "address": "\(items)/\(item.publicID ?? "")", "title": item.title, "tags": item.tags,
      "author": item.publicMetadata?.authorUsername ?? "–",
    ]
    entry["text"] = item.description.nonEmpty
    entry["published"] = item.publishedAt?.wholeSeconds
    entry["updated"] = item.updatedAt?.wholeSeconds
    return entry
  }

  private func listed(
    _ items: [LibraryItem], _ number: Int, hasMore: Bool, link: (Int) -> String
  ) -> Values {
    var values: Values = [
      "items": items.map(listed), "hasItems": !items.isEmpty, "page": number, "hasPages": hasMore || number > 1,
      "emptyText": words[number > 1 ? "noMore" : "noResults"] ?? "",
    ]
    // Before a page beyond the end, there may be other empty ones.
    if number > 1 { values["previous"] = link(items.isEmpty ? 1 : number - 1) }
    if hasMore { values["next"] = link(number + 1) }
    return values
  }

  private func listed(_ item: LibraryItem) -> Values {
    var values: Values = [
      "href": link("/c/\(item.publicID ?? "")"), "title": item.title, "type": words[item.contentType.rawValue] ?? "",
      "tags": tags(item), "hasTags": !item.tags.isEmpty,
    ]
    values["lang"] = Markup.language(item.language)
    values["text"] = item.description.nonEmpty.map { Markup.beginning(of: $0, scalars: Self.shownText) }
    values["author"] = author(item)
    values["date"] = item.publishedAt?.day
    values["forks"] = item.forkCount > 0 ? item.forkCount : nil
    return values
  }

  private func tags(_ item: LibraryItem) -> [Values] {
    item.tags.map { ["name": $0, "href": link("/", [("tag", $0)])] }
  }

  private func author(_ item: LibraryItem) -> Values? {
    guard let name = item.publicMetadata?.authorUsername else { return nil }
    var author: Values = ["name": name]
    // A deleted account has no page.
    if item.publicMetadata?.authorUserID != nil { author["href"] = link(Self.path(ofAuthor: name)) }
    return author
  }

  private static func path(ofAuthor name: String) -> String { "/u/\(PercentEncoding.encode(name))" }

  static func pageQuery(_ page: Int) -> [(name: String, value: String)] { page > 1 ? [("page", String(page))] : [] }

  private func section(_ section: ChecklistSection) -> Values {
    var values: Values = ["title": section.title, "steps": section.items.map(step)]
    values["text"] = section.description.nonEmpty
    return values
  }

  private func step(_ step: ChecklistItem) -> Values {
    var values: Values = ["title": step.title, "isRequired": step.isRequired, "isOptional": step.isOptional]
    values["text"] = step.itemDescription.nonEmpty
    // The app also stores negative numbers.
    if let minutes = step.estimatedMinutes, minutes > 0 { values["minutes"] = minutes }
    return values
  }

  private func card(_ number: Int, _ card: Flashcard) -> Values {
    var values: Values = [
      "number": number, "front": MarkdownHTML.html(card.front, below: 2),
      "back": MarkdownHTML.html(card.back, below: 2),
    ]
    values["hint"] = card.hint.nonEmpty
    values["source"] = card.source.nonEmpty
    return values
  }

  /// Returns data about an item for search engines (JSON-LD, schema.org). It contains no `<`, so that it cannot end the
  /// element around it.
  private func data(_ item: LibraryItem) -> String {
    let members: [(name: String, text: String?)] = [
      ("@context", "https://schema.org"), ("@type", "CreativeWork"), ("url", "\(items)/\(item.publicID ?? "")"),
      ("name", item.title), ("description", item.description), ("inLanguage", Markup.language(item.language)),
      ("keywords", item.tags.joined(separator: ", ").nonEmpty), ("datePublished", item.publishedAt?.wholeSeconds),
      ("dateModified", item.updatedAt?.wholeSeconds),
      ("isBasedOn", item.originalContentPublicID.map { "\(items)/\($0)" }),
    ]
    var out = ByteBuffer(capacity: 1024)
    for (index, member) in members.enumerated() {
      guard let text = member.text else { continue }
      out.append(index == 0 ? "{" : ",")
      out.appendJSONString(member.name)
      out.append(":")
      out.appendJSONString(text)
    }
    if let author = item.publicMetadata?.authorUsername {
      out.append(",\"author\":{\"@type\":\"Person\",\"name\":")
      out.appendJSONString(author)
      out.append("}")
    }
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self).replacing("<", with: "\\u003c")
  }

  // MARK: Layout

  private var words: [String: String] { language.words }

  /// Returns a link that keeps the chosen language.
  private func link(_ path: String, _ query: [(name: String, value: String)] = []) -> String {
    PercentEncoding.link(path, query + (isLanguageChosen ? [(Self.languageParameter, language.rawValue)] : []))
  }

  /// Returns a page.
  /// - Parameters:
  ///   - path: the page's own path; nil for an error, whose address is not repeated.
  ///   - canonical: the page's address; nil for the path and query on the registry.
  private func page(
    _ template: String, title: String?, path: String?, _ query: [(name: String, value: String)] = [],
    canonical: String? = nil, feed: [(name: String, value: String)] = [], values: Values
  ) -> String {
    var values = values
    values["t"] = words
    values["title"] = title ?? ""
    values["hl"] = language.rawValue
    values["isLanguageChosen"] = isLanguageChosen
    values["home"] = link("/")
    values["feed"] = PercentEncoding.link("/feed.atom", feed)
    values["icon"] = PageAsset.icon.address
    values["style"] = PageAsset.style.address
    values["script"] = PageAsset.script.address
    if values["openGraphType"] == nil { values["openGraphType"] = "website" }
    if let path { values["canonical"] = canonical ?? origin + PercentEncoding.link(path, query) }
    values["languages"] = PageLanguage.allCases.map { other in
      [
        "code": other.rawValue, "name": other.name, "isCurrent": other == language,
        "href": PercentEncoding.link(
          path ?? "/", (path == nil ? [] : query) + [(Self.languageParameter, other.rawValue)]),
      ] as Values
    }
    return render(template, values)
  }

  private func render(_ template: String, _ values: Values) -> String {
    PageResources.templates.render(values, withTemplate: template) ?? ""
  }
}

/// A search for items, as the reader entered it.
public struct ItemSearch: Sendable {
  /// The words.
  public var words: String?
  /// The type.
  public var type: ContentType?
  /// The language, a BCP 47 tag.
  public var language: String?
  /// The tags that every item has.
  public var tags: [String]
  /// The order, one of `orders`; nil for the first one.
  public var order: String?
  /// The number of the page, from 1.
  public var page: Int

  /// Creates a search.
  public init(words: String?, type: ContentType?, language: String?, tags: [String], order: String?, page: Int) {
    self.words = words
    self.type = type
    self.language = language
    self.tags = tags
    self.order = order
    self.page = page
  }

  /// The orders that a reader can choose.
  static let orders = ["newest", "oldest", "most_forked"]

  /// Whether the search finds everything.
  var isEmpty: Bool { words == nil && type == nil && language == nil && tags.isEmpty }

  /// The parameters of the feed with the results.
  var feedQuery: [(name: String, value: String)] {
    var search = self
    search.order = nil
    return search.query(page: 1)
  }

  /// Returns the parameters of a page of results.
  func query(page: Int) -> [(name: String, value: String)] {
    var query: [(name: String, value: String)] = []
    if let words { query.append(("q", words)) }
    if let type { query.append(("type", type.rawValue)) }
    if let language { query.append(("language", language)) }
    query += tags.map { ("tag", $0) }
    if let order, order != Self.orders[0] { query.append(("sort", order)) }
    return query + PageWriter.pageQuery(page)
  }
}

/// A step of an item's lineage.
public struct LineageStep: Sendable {
  /// The title; empty if the step is no longer public.
  public var title: String
  /// The author's name.
  public var author: String?
  /// When it was published.
  public var date: Timestamp
  /// Whether the step is the item itself.
  public var isCurrent: Bool
  /// The slug, if it is known.
  public var publicID: String?

  /// Creates a step.
  public init(title: String, author: String?, date: Timestamp, isCurrent: Bool, publicID: String?) {
    self.title = title
    self.author = author
    self.date = date
    self.isCurrent = isCurrent
    self.publicID = publicID
  }
}

/// An author, as readers may see them.
public struct PageAuthor: Sendable {
  /// The username.
  public var name: String
  /// When the account was made.
  public var since: Timestamp
  /// The number of public items.
  public var contributions: Int64
  /// The number of copies of the items.
  public var forks: Int64
  /// What the author writes about themselves.
  public var bio: String?
  /// The author's home.
  public var location: String?
  /// The author's nationality.
  public var nationality: String?
  /// Accounts at other services, as text.
  public var accounts: [String] = []

  /// Creates an author without a profile.
  public init(name: String, since: Timestamp, contributions: Int64, forks: Int64) {
    self.name = name
    self.since = since
    self.contributions = contributions
    self.forks = forks
  }
}

extension Timestamp {
  /// The day in UTC: `2026-01-05`.
  fileprivate var day: String { String(iso8601.prefix(10)) }
}

extension String {
  /// The text; nil if it is empty.
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension String? {
  fileprivate var nonEmpty: String? { flatMap(\.nonEmpty) }
}
