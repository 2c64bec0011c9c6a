import Content
import Foundation
import Publishing
import RegistryModel
import RegistryStore
import SQLiteStore

/// Measures the store alone, without network or HTTP: `registry-store-bench [items] [folder]`. Prints operations per
/// second.
@main
struct Bench {
  static func main() async throws {
    let items = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
    let folder = CommandLine.arguments.dropFirst(2).first ?? NSTemporaryDirectory()
    let path = folder + "/registry-bench-\(ProcessInfo.processInfo.processIdentifier).sqlite"
    defer { for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let bench = Bench(items: items)
    let first = try SQLiteStore(path: path)
    let user = try await first.signIn(appleID: "bench", email: nil, usernameHint: "bench", at: bench.now)
    try await bench.write(first, user)
    try await first.close()
    try await bench.read(SQLiteStore(path: path), user)
  }

  private func write(_ store: SQLiteStore, _ user: User) async throws {
    try await measure("publish, batches of 100, one caller", items) {
      for start in stride(from: 0, to: items, by: 100) {
        let batch = (start..<min(items, start + 100)).map { ContentOperation.publish(request($0)) }
        _ = try await store.apply(batch, by: user.id, at: now, claim: nil)
      }
    }
    try await measure("publish, single, one caller", 200) {
      for index in 0..<200 { try await publish(items + index, store, user) }
    }
    for callers in [8, 64] {
      try await measure("publish, single, \(callers) callers", 2000) {
        try await each(2000, callers) { try await publish(items + 1000 * callers + $0, store, user) }
      }
    }
  }

  private func read(_ store: SQLiteStore, _ user: User) async throws {
    let cold = min(items, 5000)
    try await measure("read, first time, one caller", cold) {
      for index in 0..<cold { _ = try await store.content(publicID: "bench-\(index)", countingView: true) }
    }
    try await measure("read again, one caller", 500_000) {
      for index in 0..<500_000 { _ = try await store.content(publicID: "bench-\(index % 1000)", countingView: true) }
    }
    try await measure("read, 4 callers", 500_000) {
      try await each(500_000, 4) { _ = try await store.content(publicID: "bench-\($0 % 1000)", countingView: true) }
    }
    try await measure("head by id, one caller", 20_000) {
      guard let id = try await store.head(.publicID("bench-1"))?.id else { return }
      for _ in 0..<20_000 { _ = try await store.head(.id(id)) }
    }
    let session = Session(id: RegistryID(), userID: user.id, createdAt: now, expiresAt: now)
    try await store.beginSession(session, tokenHash: [UInt8](repeating: 7, count: 32))
    try await measure("session, one caller", 100_000) {
      for _ in 0..<100_000 {
        _ = try await store.isLive(session: session.id, of: user.id)
      }
    }
    let queries: [(String, @Sendable (inout PublicQuery) -> Void)] = [
      ("list, newest", { _ in }), ("list, type", { $0.contentType = "checklist" }),
      ("list, tag", { $0.tags = ["tag3"] }),
      ("list, two tags", { $0.tags = ["tag3", "all"] }), ("list, language", { $0.language = "en" }),
      ("search, rare word", { $0.text = "item17" }), ("search, word in all", { $0.text = "check" }),
      ("search, beginning in all", { $0.text = "c" }),
    ]
    for (name, set) in queries {
      var query = PublicQuery()
      set(&query)
      let asked = query
      let count = name.hasPrefix("search") ? 50 : 1000
      try await measure(name, count) { for _ in 0..<count { _ = try await store.list(asked) } }
    }
    try await measure("delete the account with all items", 1) { try await store.deleteUser(user.id, at: now) }
    try await store.close()
  }

  let items: Int
  let now = Timestamp(milliseconds: 1_767_607_872_345)

  func request(_ index: Int) -> PublishRequest {
    let steps = (0..<20).map {
      "{\"id\":\"i\($0)\",\"title\":\"Check valve \($0) of item\(index)\",\"isRequired\":true}"
    }
    let document =
      "{\"id\":\"d\(index)\",\"title\":\"Round \(index)\",\"sections\":[{\"id\":\"s\",\"title\":\"Engine\","
      + "\"items\":[\(steps.joined(separator: ","))]}]}"
    return PublishRequest(
      title: "Engine check \(index)", description: "Before casting off", contentType: .checklist,
      contentData: Array(document.utf8), tags: ["tag\(index % 10)", "all"], language: "en", publicID: "bench-\(index)",
      canFork: true, forkedFromID: nil)
  }

  func publish(_ index: Int, _ store: SQLiteStore, _ user: User) async throws {
    _ = try await store.apply([.publish(request(index))], by: user.id, at: now, claim: nil)
  }
}

private func measure(_ name: String, _ count: Int, _ body: () async throws -> Void) async throws {
  let start = ContinuousClock.now
  try await body()
  let time = ContinuousClock.now - start
  let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  let rate = Int(Double(count) / seconds)
  print(
    name.padding(toLength: 40, withPad: " ", startingAt: 0), "\(rate) /s", "(\(Int(seconds * 1e6 / Double(count))) µs)")
}

/// Runs numbered work with the given number of concurrent callers.
private func each(_ count: Int, _ callers: Int, _ work: @escaping @Sendable (Int) async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for caller in 0..<callers {
      group.addTask { for index in stride(from: caller, to: count, by: callers) { try await work(index) } }
    }
    try await group.waitForAll()
  }
}
