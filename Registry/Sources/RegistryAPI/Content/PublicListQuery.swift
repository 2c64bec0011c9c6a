import HTTPTypes
import RegistryStore
import RegistryModel

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
    paging = ContentHandlers.paging(&parameters)
    try parameters.check()
    query.limit = paging.limit
    query.offset = paging.offset
    query.after = paging.after
    self.query = query
    self.target = target
    self.parameters = parameters
  }

  /// Returns the answer's body.
  func body(_ page: ContentPage) -> JSONOutput {
    let text = page.memo?.value { CachedListJSON(page.rows) } ?? CachedListJSON(page.rows)
    return ContentHandlers.body(of: page, paging, capacity: text.capacity) { text.write(page, to: &$0) }
  }

  /// Returns the answer's header fields with the link to the next page.
  func fields(_ page: ContentPage) -> HTTPFields { ContentHandlers.fields(of: page, paging, target, parameters) }
}
