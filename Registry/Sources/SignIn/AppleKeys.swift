import JWTKit
import Logging
import RegistryModel

/// Apple's public keys, which are fetched on demand and cached.
///
/// The source is called at most once a minute, with one request at a time, however many unknown key names clients send.
/// Keys are fetched again once a day; when that fails, the cached keys stay valid for three more days.
public actor AppleKeys {
  static let pause: Int64 = 60 * 1000
  static let freshFor: Int64 = 24 * 60 * 60 * 1000
  static let usableFor: Int64 = 4 * freshFor

  private let source: KeySource
  private let clock: RegistryClock
  private let log: Logger
  private let timeout: Double
  private var set: KeySet?
  private var loadedAt: Int64 = 0
  private var triedAt: Int64?
  private var loading: Task<Void, Never>?
  /// The number of requests to the source.
  private(set) var attempts = 0

  /// Makes an empty cache.
  /// - Parameter timeout: the maximum time for an answer, in seconds; users who sign in have to wait that long.
  public init(
    _ source: KeySource, clock: RegistryClock = .system, log: Logger = Logger(label: "sign-in"), timeout: Double = 5
  ) {
    self.source = source
    self.clock = clock
    self.log = log
    self.timeout = timeout
  }

  /// Returns the key with a name.
  /// - Throws: `.invalid` when Apple has no such key, `.keysUnavailable` when Apple's keys are unknown.
  func key(_ name: String) async throws(SignInFailure) -> any JWTAlgorithm {
    if let key = set?.keys[name], age < Self.freshFor { return key }
    await refresh()
    guard let set, age < Self.usableFor else { throw .keysUnavailable }
    guard let key = set.keys[name] else { throw .invalid }
    return key
  }

  private var now: Int64 { clock.now().milliseconds }
  private var age: Int64 { now - loadedAt }

  private func refresh() async {
    if let loading { return await loading.value }
    if let triedAt, (0..<Self.pause).contains(now - triedAt) { return }
    triedAt = now
    attempts += 1
    // The fetch runs in a separate task: a caller that disconnects must not cancel it for the others that wait.
    let task = Task { await load() }
    loading = task
    await task.value
  }

  private func load() async {
    defer { loading = nil }
    guard let bytes = await source.load(within: timeout) else {
      log.warning("Apple's keys cannot be fetched")
      return
    }
    guard let found = await KeySet(bytes) else {
      log.warning("the answer with Apple's keys is not a set of RS256 keys")
      return
    }
    set = found
    loadedAt = now
  }
}
