import RegistryModel
import RegistryStore
import Synchronization

/// Questions for the public list that were asked before, by their targets, so that they need not be read again.
final class QuickLists: Sendable {
  /// A question, with the fields of its last answer.
  final class Question: Sendable {
    let question: PublicListQuestion
    private let last = Mutex<(next: PagePosition?, fields: [UInt8])>((nil, []))

    fileprivate init(_ question: PublicListQuestion) { self.question = question }

    /// The lines of an answer that lead to the next page.
    func fields(_ page: ContentPage) -> [UInt8] {
      last.withLock { last in
        if last.next != page.next { last = (page.next, QuickHead.bytes(question.fields(page))) }
        return last.fields
      }
    }
  }

  /// So many are kept; one more begins anew.
  private static let limit = 1024
  private let questions = Mutex<[String: Question]>([:])

  /// What a target asks; nil when it cannot be taken, and the routes say why.
  func question(_ target: String) -> Question? {
    if let known = questions.withLock({ $0[target] }) { return known }
    guard let question = try? Question(PublicListQuestion(target: target)) else { return nil }
    questions.withLock { questions in
      if questions.count >= Self.limit { questions = [:] }
      questions[target] = question
    }
    return question
  }
}
