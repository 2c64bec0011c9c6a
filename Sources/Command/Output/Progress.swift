import FleetKit
import Foundation
import Synchronization

/// A progress line on the terminal. Prints nothing if standard error is not a terminal.
final class Progress: Sendable {
  private struct State {
    var last = Date.distantPast
  }

  private static let isShown = Atomic<Bool>(false)
  private let state = Mutex(State())
  private let started = Date()
  private let verb: String

  init(_ verb: String) { self.verb = verb }

  /// A callback for a run; nil if progress is not shown.
  var callback: (@Sendable (Int, Int?, Int) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] done, total, records in update(done, total, records) }
  }

  /// A callback for work in steps; nil if progress is not shown.
  var steps: (@Sendable (String, Int, Int) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] what, done, total in
      guard isDue else { return }
      show("\(what), \(total > 0 ? min(100, done * 100 / total) : 0) %")
    }
  }

  /// A callback for reading one file; nil if progress is not shown.
  func reading(_ what: String) -> ((Int, Int?) -> Void)? {
    guard Terminal.isInteractive else { return nil }
    return { [self] done, total in
      guard isDue else { return }
      let share = total.map { $0 > 0 ? ", \(min(100, done * 100 / $0)) %" : "" } ?? ""
      show(what + ", \(Figures.bytes(done))" + share)
    }
  }

  /// Whether the line must be printed: ten times a second, after the first half second.
  private var isDue: Bool {
    let now = Date()
    return state.withLock { state in
      guard now.timeIntervalSince(started) > 0.5, now.timeIntervalSince(state.last) > 0.1 else { return false }
      state.last = now
      return true
    }
  }

  private func show(_ line: String) {
    Self.isShown.store(true, ordering: .relaxed)
    FileHandle.standardError.write(Data("\r\u{1B}[K\(TerminalEscaping.escape(line))".utf8))
  }

  private func update(_ done: Int, _ total: Int?, _ records: Int) {
    guard isDue else { return }
    let elapsed = Date().timeIntervalSince(started)
    var line = "\(verb) \(records.formatted()) \(Plural.word(records, "record")), \(Figures.bytes(done))"
    if let total, total > 0 { line += " of \(Figures.bytes(total)) (\(min(100, done * 100 / total)) %)" }
    line += ", \(Figures.bytes(Int(Double(done) / elapsed)))/s"
    if let total, done > 0, total > done {
      line += ", \(Figures.duration(elapsed * Double(total - done) / Double(done))) left"
    }
    show(line)
  }

  /// Removes the line.
  static func clear() {
    if isShown.exchange(false, ordering: .relaxed) {
      FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
  }
}
