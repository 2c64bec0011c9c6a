import Foundation

/// An array of small values that does not fill the memory: above 1 MiB its values are in a temporary file.
///
/// The file has no name and is mapped into memory, so access is as fast as for an array, and the system can write pages
/// out when memory is short. If the file cannot be made, the values are in memory. The values are not copied on write,
/// because an array has only one owner.
struct SpillingArray<Element: BitwiseCopyable> {
  private(set) var count = 0
  private var room: SpillingMemory<Element>?

  /// Makes an empty array.
  init() {}

  /// Makes an array whose bytes are all zero.
  init(zeros count: Int) {
    self.count = count
    room = SpillingMemory(count)
  }

  @inline(__always) subscript(index: Int) -> Element {
    get { elements[index] }
    nonmutating set { elements[index] = newValue }
  }

  /// The values; valid until the next `append`.
  @inline(__always) var elements: UnsafeMutableBufferPointer<Element> {
    room?.elements ?? UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Adds a value. The array grows by half when it is full.
  mutating func append(_ value: Element) {
    if count == elements.count {
      let larger = SpillingMemory<Element>(max(64, count / 2 * 3))
      _ = larger.elements.update(fromContentsOf: elements)
      room = larger
    }
    elements[count] = value
    count += 1
  }
}

/// Memory for a fixed number of values, zero at the beginning.
private final class SpillingMemory<Element: BitwiseCopyable> {
  let elements: UnsafeMutableBufferPointer<Element>
  private let isMapped: Bool

  /// The minimum number of bytes for which a file is used.
  private static var most: Int { 1 << 20 }

  init(_ count: Int) {
    let size = max(1, count * MemoryLayout<Element>.stride)
    let mapped = size < Self.most ? nil : Self.map(size)
    isMapped = mapped != nil
    let memory = mapped ?? UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    if mapped == nil { memset(memory, 0, size) }
    elements = UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: Element.self, capacity: max(1, count)), count: count)
  }

  deinit {
    guard let start = elements.baseAddress else { return }
    if isMapped {
      munmap(start, elements.count * MemoryLayout<Element>.stride)
    } else {
      UnsafeMutableRawPointer(start).deallocate()
    }
  }

  /// Maps a new file of zeros; nil if there is no room for it.
  private static func map(_ size: Int) -> UnsafeMutableRawPointer? {
    var template = Array((FileManager.default.temporaryDirectory.path + "/fleetkit-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    unlink(template)
    // Zeros are written, because a page that the disk has no room for would stop the process when it is used.
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    var written = 0
    while written < size {
      let got = write(descriptor, zeros, min(zeros.count, size - written))
      guard got > 0 else { return nil }
      written += got
    }
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return memory == MAP_FAILED ? nil : memory
  }
}
