import Dispatch
import GRDB
import Synchronization

/// Rewrites the database file without the gaps in its pages.
///
/// When SQLite moves a row from one page to another, it leaves the old bytes in the gap, and they remain there after
/// the row is deleted, regardless of `secure_delete`. No other writes are possible during a rewrite, which takes about
/// a second for 64 MiB. All callers that ask during a rewrite share the next one.
final class FileRewriter: Sendable {
  private struct Asked {
    let ofAnySize: Bool
    let answer: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var waiting: [Asked] = []
    var isAtWork = false
  }

  private let pool: DatabasePool
  private let atOnce: Int64
  private let queue = DispatchQueue(label: "registry.rewriter", qos: .utility)
  private let state = Mutex(State())

  /// - Parameter atOnce: the file size, in bytes, up to which a file is rewritten for any caller.
  init(_ pool: DatabasePool, atOnce: Int64) {
    self.pool = pool
    self.atOnce = atOnce
  }

  /// Rewrites the file.
  /// - Parameter ofAnySize: whether to rewrite a large file too; the rewrite then uses a temporary file instead of
  ///   memory.
  /// - Returns: Whether the file was rewritten.
  func rewrite(ofAnySize: Bool) async -> Bool {
    await withCheckedContinuation { answer in
      let begins = state.withLock { state in
        state.waiting.append(Asked(ofAnySize: ofAnySize, answer: answer))
        defer { state.isAtWork = true }
        return !state.isAtWork
      }
      if begins { queue.async { [self] in work() } }
    }
  }

  private func work() {
    while true {
      let asked = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isAtWork = false }
        return state.waiting
      }
      if asked.isEmpty { return }
      let isDone = (try? run(ofAnySize: asked.contains(where: \.ofAnySize))) ?? false
      for one in asked { one.answer.resume(returning: isDone) }
    }
  }

  private func run(ofAnySize: Bool) throws -> Bool {
    try pool.writeWithoutTransaction { db in
      let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      let size = pages * (try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0)
      guard size > atOnce else {
        try db.execute(sql: "VACUUM")
        return true
      }
      guard ofAnySize else { return false }
      try db.execute(sql: "PRAGMA temp_store = FILE")
      defer { try? db.execute(sql: "PRAGMA temp_store = MEMORY") }
      try db.execute(sql: "VACUUM")
      return true
    }
  }
}
