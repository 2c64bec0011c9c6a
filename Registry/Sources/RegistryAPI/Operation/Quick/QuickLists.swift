import RegistryModel
import RegistryStore
import Synchronization

/// A cache of parsed public-list queries, by target.
final class QuickLists: Sendable {
  /// A query, with the fields of its last answer.
  final class Question: Sendable {
    let question: PublicListQuery
    private let last = Mutex<(next: PagePosition?, fields: [UInt8])>((nil, []))

    fileprivate init(_ question: PublicListQuery) { self.question = question }

    /// Returns the header lines with the link to the next page.
    func fields(_ page: ContentPage) -> [UInt8] {
      last.withLock { last in
        if last.next != page.next { last = (page.next, QuickHead.bytes(question.fields(page))) }
        return last.fields
      }
    }
  }

  /// The maximum number of entries; one more clears the table.
  private static let limit = 1024
  private let questions = Mutex<[String: Question]>([:])

  /// Returns the query of a target; nil when it is not accepted, and the routes report why.
  func question(_ target: String) -> Question? {
    if let known = questions.withLock({ $0[target] }) { return known }
    guard let question = try? Question(PublicListQuery(target: target)) else { return nil }
    questions.withLock { questions in
      if questions.count >= Self.limit { questions = [:] }
      questions[target] = question
    }
    return question
  }
}
