import JWTKit
import Logging
import RegistryModel

/// Apple's public keys, fetched when they are needed and kept.
///
/// Asks its source at most once a minute however many unknown names strangers send, one question at a time. Keys are
/// fetched anew once a day; when that fails, those at hand hold for three more days.
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
  /// How often the source was asked.
  private(set) var attempts = 0

  /// Asks nothing yet.
  /// - Parameter timeout: seconds that an answer may take; those who sign in wait as long.
  public init(
    _ source: KeySource, clock: RegistryClock = .system, log: Logger = Logger(label: "sign-in"), timeout: Double = 5
  ) {
    self.source = source
    self.clock = clock
    self.log = log
    self.timeout = timeout
  }

  /// The key of that name.
  /// - Throws: `.invalid` when Apple has no such key, `.keysUnavailable` when Apple's keys are not known.
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
    // A task of its own: a caller that goes away must not take the keys from those that wait with it.
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
      log.warning("what came as Apple's keys is no set of RS256 keys")
      return
    }
    set = found
    loadedAt = now
  }
}
