import Content
import FleetKit
import Foundation
import TestSupport
import Testing

/// The app keeps working while a pull fetches items. Its changes are merged and never overwritten.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct PullLockTests {
  private let now = Timestamp(milliseconds: 1_780_000_000_000)

  /// Returns two devices with the same content, the second of which has changed and sent both items.
  private func devices() throws -> TwoDevices {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    return devices
  }

  /// Pulls, running a closure before each request for an item.
  private func pull(_ devices: TwoDevices, _ body: @escaping @Sendable () throws -> Void) throws -> PullReport {
    let calls = FaultyCalls(try devices.registry.client()) { request, _ in
      if request.call == "item" { #expect(throws: Never.self) { try body() } }
      return nil
    }
    let report = try LibraryPull(devices.a, from: calls, at: devices.registry.url).run(now: now)
    #expect(calls.requests.contains { $0.call == "item" })
    return report
  }

  private func outcome(_ report: PullReport, _ title: String = "Fire on board") -> PullReport.Outcome? {
    report.entries.first { $0.title == title }?.outcome
  }

  /// The app's library has no write-ahead log, so a reader blocks its commits.
  @Test func theAppCommitsWhileItemsAreFetched() throws {
    let devices = try devices()
    let library = devices.a
    let report = try pull(devices) {
      try SQLiteShell.run(
        library,
        """
        .timeout 1000
        UPDATE checklists SET content = replace(content, 'the fuel"', 'the fuel and the gas"');
        UPDATE library_content SET isPinned = 1, syncStatus = 'pending' WHERE title = 'Fire on board';
        """)
    }
    #expect(outcome(report) == .merged)
    #expect(outcome(report, "Lights") == .taken)
    #expect(try devices.steps(library) == ["Shut the fuel and the gas", "Call Mayday"])
    let item = try devices.item(library)
    #expect(item?["is_pinned"]?.bool == true)
    #expect(item?["sync_status"]?.string == "pending")
    #expect(try devices.fleetkit("update", library, "--changed", "--json").number("/queued") == 1)
  }

  @Test func whatIsDeletedMeanwhileStaysDeleted() throws {
    let devices = try devices()
    let library = devices.a
    let report = try pull(devices) {
      try SQLiteShell.run(
        library,
        """
        .timeout 1000
        DELETE FROM checklists WHERE id = '\(TwoDevices.checklist)';
        DELETE FROM library_content WHERE id = '\(TwoDevices.checklist)';
        """)
    }
    #expect(outcome(report) == .missing)
    #expect(try devices.item(library) == nil)
  }

  /// A change is queued after the last check and before the lock, so the item is checked again.
  @Test func whatIsQueuedBeforeTheLockIsSeen() throws {
    let devices = try devices()
    let library = devices.a
    let app = try WritingApp(
      library,
      """
      INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt)
      SELECT contentID, 'publish_update', visibilityState, payload, createdAt FROM sync_queue
      WHERE contentID = '\(TwoDevices.checklist)' LIMIT 1;
      """)
    let report = try pull(devices) { try app.begin() }
    app.wait()
    guard case .skipped(let why)? = outcome(report) else {
      Issue.record("\(String(describing: outcome(report)))")
      return
    }
    #expect(!why.isEmpty)
    #expect(outcome(report, "Lights") == .taken)
    #expect(try devices.steps(library) == ["Shut the fuel", "Call for help"])
  }
}
