import Content
import Publishing
import RegistryModel
import RegistryStore

/// An operation with the values that can be computed before the writer's turn.
struct PreparedOperation: Sendable {
  let operation: ContentOperation
  /// The digest of a publish request.
  let digest: [UInt8]
  /// The weight of the operation for the writer: 1, and 1 more for each 32 KiB.
  let weight: Int
  /// The document's words, when the operation has a document.
  let words: String

  /// - Throws: `StoreFailure` for strings that the file cannot store.
  init(_ operation: ContentOperation) throws {
    self.operation = operation
    switch operation {
    case .publish(let request):
      try Self.require(
        [
          request.title, request.description, request.language, request.publicID, request.forkedFromID,
          request.originalAuthorUsername,
        ], request.tags)
      digest = PublicationDigest.sha256(
        title: request.title, description: request.description, contentType: request.contentType,
        contentData: request.contentData, tags: request.tags, language: request.language)
      words = SearchTerms.words(of: request.contentData)
      weight = Self.weight(request.contentData)
    case .update(_, let change, _):
      try Self.require([change.title, change.description ?? nil, change.language], change.tags ?? [])
      digest = []
      words = change.contentData.map(SearchTerms.words) ?? ""
      weight = Self.weight(change.contentData ?? [])
    case .unpublish:
      digest = []
      words = ""
      weight = 1
    }
  }

  private static func weight(_ document: [UInt8]) -> Int { 1 + document.count >> 15 }

  private static func require(_ texts: [String?], _ tags: [String]) throws {
    let all = texts.compactMap { $0 } + tags
    if all.contains(where: \.holdsNUL) { throw StoreProblem.textWithNUL }
  }
}
