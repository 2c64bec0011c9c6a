import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteLibrary
import Synchronization
import Validation

/// Public items that are fetched side by side.
final class FetchedItems: Sendable {
  /// An item; nil when it was taken back meanwhile.
  typealias Answer = Result<PublicItem?, RegistryError>

  /// As many requests are under way at once; `sync` sends as many.
  static let workers = 4

  private let slugs: [String]
  private let registry: any RegistryCalls
  private let onProgress: (@Sendable (Int, Int) -> Void)?
  private let work: SharedWork<Answer>
  private let done = Atomic<Int>(0)
  private let hasFailed = Atomic<Bool>(false)

  /// Plans it.
  /// - Parameter onProgress: told after every item how many have come, and of how many; on any thread.
  init(
    _ slugs: [String], from registry: any RegistryCalls, onProgress: (@Sendable (Int, Int) -> Void)? = nil
  ) {
    self.slugs = slugs
    self.registry = registry
    self.onProgress = onProgress
    work = SharedWork(parts: slugs.count)
  }

  /// Fetches them. Nothing more is asked for after the first failure, or when the user asks to stop.
  /// - Returns: the answers in the order of the slugs: as many, or fewer with a failure among them, or fewer because the
  ///   user asked to stop.
  func run() -> [Answer] {
    guard !slugs.isEmpty else { return [] }
    return work.run(on: min(Self.workers, slugs.count)) { [self] in fetch() }
  }

  private func fetch() {
    while !Interruption.isRequested, !hasFailed.load(ordering: .relaxed), let number = work.take() {
      let answer: Answer
      do throws(RegistryError) {
        answer = .success(try registry.item(slugs[number]))
      } catch {
        answer = .failure(error)
        hasFailed.store(true, ordering: .relaxed)
      }
      work.finish(number, answer)
      onProgress?(done.add(1, ordering: .relaxed).newValue, slugs.count)
    }
  }
}
