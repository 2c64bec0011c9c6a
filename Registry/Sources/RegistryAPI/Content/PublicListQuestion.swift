import HTTPTypes
import RegistryStore
import RegistryModel

/// What a request for the public list asks, read from its target.
struct PublicListQuestion: Sendable {
  let query: PublicQuery
  private let target: String
  private let parameters: QueryParameters
  private let paging: ContentHandlers.Paging

  /// Reads a target, `/api/v1/content/public?…`.
  /// - Throws: `Problem` 422 with what cannot be taken.
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

  /// The answer's body.
  func body(_ page: ContentPage) -> JSONOutput {
    let text = page.memo?.value { ListText(page.rows) } ?? ListText(page.rows)
    return ContentHandlers.body(of: page, paging, capacity: text.capacity) { text.write(page, to: &$0) }
  }

  /// The answer's fields that lead to the next page.
  func fields(_ page: ContentPage) -> HTTPFields { ContentHandlers.fields(of: page, paging, target, parameters) }
}
