import Foundation

/// One run of the `fleetkit` command as a whole process: its duration, its processor time, and its own memory.
struct ChildRun {
  /// The wall-clock time from start to exit, in seconds.
  let seconds: Double
  /// The processor time in the program, in seconds.
  let user: Double
  /// The processor time in the system on the program's behalf, in seconds.
  let system: Double
  /// The peak RssAnon, in bytes.
  let peakAnonymous: Int

  /// The total processor time, in seconds.
  var processor: Double { user + system }

  /// Runs the command and waits.
  ///
  /// The process is started and watched with system calls alone: the machine has few processors, and the command uses
  /// them all.
  static func run(_ command: String, _ arguments: [String]) throws -> ChildRun {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [Int32(1), 2] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    let words = ([command] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    let clock = ContinuousClock()
    let start = clock.now
    var process = pid_t()
    guard posix_spawn(&process, command, &actions, nil, words + [nil], environ) == 0 else {
      throw CocoaError(.fileReadNoSuchFile)
    }
    let memory = AnonymousMemory(of: process)
    var status = Int32()
    var usage = rusage()
    while wait4(process, &status, WNOHANG, &usage) == 0 {
      memory.look()
      usleep(2000)
    }
    let seconds = BareLoops.seconds(clock.now - start)
    guard status == 0 else {
      fatalError("\(command) \(arguments.joined(separator: " ")) ended with wait status \(status)")
    }
    let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
    return ChildRun(seconds: seconds, user: times[0], system: times[1], peakAnonymous: memory.peak)
  }
}
