import Foundation

/// One run of the `fleetkit` command as a whole process: how long, and how much memory of its own.
struct ChildRun {
  /// Wall-clock seconds from start to exit.
  let seconds: Double
  /// Peak of RssAnon in bytes, read every two milliseconds.
  let peakAnonymous: Int

  /// Runs the command and waits.
  static func run(_ command: String, _ arguments: [String]) throws -> ChildRun {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let clock = ContinuousClock()
    let start = clock.now
    try process.run()
    let status = "/proc/\(process.processIdentifier)/status"
    var peak = 0
    while process.isRunning {
      if let text = try? String(contentsOfFile: status, encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
        let kilobytes = Int(line.split(separator: " ").dropFirst().first ?? "")
      {
        peak = max(peak, kilobytes * 1024)
      }
      usleep(2000)
    }
    process.waitUntilExit()
    let seconds = BareLoops.seconds(clock.now - start)
    guard process.terminationStatus == 0 else {
      fatalError("\(command) \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
    }
    return ChildRun(seconds: seconds, peakAnonymous: peak)
  }
}
