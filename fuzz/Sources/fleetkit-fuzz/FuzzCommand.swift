import CFuzzer
import FleetKit
import Foundation

/// Runs libFuzzer on one target: `fleetkit-fuzz TARGET [option of libFuzzer | corpus folder | input]…`.
///
/// `fleetkit-fuzz` alone lists the targets. The exit status is libFuzzer's: 0 without a finding.
@main enum FuzzCommand {
  // libFuzzer calls a C function, which cannot capture variables.
  nonisolated(unsafe) private static var target: (any FuzzTarget)?

  static func main() {
    guard CommandLine.arguments.count > 1 else {
      for name in FuzzTargets.names { print(name) }
      return
    }
    do {
      target = try FuzzTargets.make(CommandLine.arguments[1])
    } catch {
      FileHandle.standardError.write(Data("fleetkit-fuzz: \(error)\n".utf8))
      exit(64)
    }
    // libFuzzer expects the program's name as the first argument.
    var count = CommandLine.argc - 1
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
    let status = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
      autoreleasepool { FuzzCommand.target?.run(Array(UnsafeBufferPointer(start: start, count: count))) }
      return 0
    }
    exit(status)
  }
}

#if !canImport(ObjectiveC)
  private func autoreleasepool(_ body: () -> Void) { body() }
#endif
