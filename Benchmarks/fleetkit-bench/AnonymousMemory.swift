import Foundation

/// Watches a process's RssAnon: its own memory, without mapped files.
final class AnonymousMemory {
  /// The peak, in bytes.
  private(set) var peak = 0
  private let file: Int32
  private var text = [UInt8](repeating: 0, count: 128)

  init(of process: pid_t) { file = open("/proc/\(process)/statm", O_RDONLY) }

  deinit { close(file) }

  /// Takes a measurement: resident pages without those shared with files.
  func look() {
    let count = pread(file, &text, text.count, 0)
    guard count > 0 else { return }
    var numbers = [0, 0, 0]
    var field = 0
    for byte in text.prefix(count) {
      if byte == UInt8(ascii: " ") { field += 1 }
      if field > 2 { break }
      if byte &- 0x30 < 10 { numbers[field] = numbers[field] * 10 + Int(byte - 0x30) }
    }
    peak = max(peak, (numbers[1] - numbers[2]) * Int(getpagesize()))
  }
}
