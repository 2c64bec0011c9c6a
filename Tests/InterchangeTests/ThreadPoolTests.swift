import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

/// Threads are reused, so their number is the number of jobs that run at the same time.
@Suite struct ThreadPoolTests {
  @Test func threadsAreReused() {
    let pool = ThreadPool()
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<2_000 {
      pool.run { done.signal() }
      done.wait()
    }
    // The next job may arrive before a thread has noticed that it is idle.
    #expect(pool.created <= 8)
  }

  @Test func jobsThatWaitForEachOtherAllRun() {
    let pool = ThreadPool()
    for _ in 0..<3 {
      let meeting = DispatchGroup()
      let end = DispatchGroup()
      // All jobs are announced before the first one starts, so the first job cannot conclude that it is alone.
      for _ in 0..<40 { meeting.enter() }
      for _ in 0..<40 {
        end.enter()
        pool.run {
          meeting.leave()
          meeting.wait()
          end.leave()
        }
      }
      end.wait()
      usleep(50_000)
    }
    #expect((40..<80).contains(pool.created))
  }

  @Test func threadsHaveLargeStacks() throws {
    let work = Background { Thread.current.stackSize }
    #expect(try work.wait() >= 8 << 20)
  }

  /// An idle thread holds nothing of its last job, and ends after a while.
  @Test func idleThreadsHoldNothing() throws {
    final class Held: Sendable {}
    var pool: ThreadPool? = ThreadPool(patience: 0.2)
    weak let left = pool
    let done = DispatchSemaphore(value: 0)
    weak var last: Held?
    do {
      let held = Held()
      last = held
      pool?.run { withExtendedLifetime(held) { _ = done.signal() } }
    }
    done.wait()
    pool = nil
    let end = Date(timeIntervalSinceNow: 60)
    while left != nil || last != nil, Date() < end { usleep(10_000) }
    #expect(last == nil && left == nil)
  }

  @Test func resultsAndErrorsComeBack() throws {
    struct Failure: Error {}
    let sum = Background { (1...100).reduce(0, +) }
    let failure = BackgroundWork<Int, Failure> { () throws(Failure) in throw Failure() }
    for _ in 0..<2 {
      #expect(try sum.wait() == 5_050)
      #expect(throws: Failure.self) { try failure.wait() }
    }
  }

  /// All other code creates threads only through the pool.
  @Test func onlyThePoolCreatesThreads() throws {
    let root = Paths.root + "/Sources/"
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
      if name.hasSuffix("Interchange/Threads.swift") { continue }
      let text = try String(contentsOfFile: root + name, encoding: .utf8)
      #expect(
        !text.contains(/\bThread(\(| \{|\.detach)|pthread_create|DispatchQueue|OperationQueue/),
        "\(name) creates threads"
      )
    }
  }

  // MARK: Many files

  private static let files = 10_000

  /// An upper limit for threads. Other tests use the pool at the same time, but never this many threads.
  private static let few = 500

  @Test func tenThousandBundlesNeedFewThreads() throws {
    let scratch = Scratch()
    for number in 0..<Self.files {
      let id = String(format: "%08X-A71B-49F8-B06C-C047F24F4730", number)
      _ = try scratch.write("\(number).json", "[{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"checklist\"}]")
    }
    let before = ThreadPool.shared.created
    let report = SilentReport()
    let sources = try SourceList([scratch.path])
    #expect(sources.entries.count == Self.files)
    _ = try ValidationRun(sources: sources, options: ValidationOptions()).run(report: report)
    #expect(report.records == Self.files)
    #expect(ThreadPool.shared.created - before < Self.few)
  }

  @Test func tenThousandNotesNeedFewThreads() throws {
    let scratch = Scratch()
    let notes = scratch["notes"]
    try FileManager.default.createDirectory(atPath: notes, withIntermediateDirectories: false)
    for number in 0..<Self.files {
      _ = try scratch.write("notes/\(number).md", "# List \(number)\n\n- [ ] Open the sea cock\n- [ ] Check the oil\n")
    }
    let before = ThreadPool.shared.created
    let conversion = Conversion(sources: try SourceList([notes]), target: Target(scratch["all.jsonl"]))
    #expect(try conversion.run(context: RunContext(now: Timestamp(milliseconds: 0))).tally.total.created == Self.files)
    #expect(ThreadPool.shared.created - before < Self.few)
  }
}

private final class SilentReport: FindingReport {
  private(set) var records = 0

  func begin() {}
  func add(_ finding: Diagnostic) {}
  func end(_ summary: ReportSummary) { records = summary.records }
}
