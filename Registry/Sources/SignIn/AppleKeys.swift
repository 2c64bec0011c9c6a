import Foundation
import JSONText
import JWTKit
import Logging
import RegistryModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Apple's public keys, which are fetched on demand and cached.
///
/// The source is called at most once a minute, with one request at a time, however many unknown key names clients send.
/// Keys are fetched again once a day; when that fails, the cached keys stay valid for three more days.
public actor AppleKeys {
  static let pause: Int64 = 60 * 1000
  private static let freshFor: Int64 = 24 * 60 * 60 * 1000
  private static let usableFor: Int64 = 4 * freshFor

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
  /// - Throws: `.invalid` if Apple has no such key, `.keysUnavailable` if Apple's keys are unknown.
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

/// The RS256 keys of a JWK set (RFC 7517), by name. Other keys in the set are ignored.
struct KeySet: Sendable {
  /// The maximum length of an accepted set, in bytes; Apple's set has about 2,000.
  static let longest = 256 * 1024
  /// The maximum number of keys in a set.
  static let most = 64

  /// The keys, by `kid`.
  let keys: [String: any JWTAlgorithm]

  /// Parses a set; returns nil if the bytes are not a key set, or contain no usable key.
  init?(_ text: [UInt8]) async {
    guard
      text.count <= Self.longest, let root = try? JSONDocument(parsing: text).root, root.duplicateName == nil,
      let entries = root["keys"]?.elements, entries.count <= Self.most
    else { return nil }
    var keys: [String: any JWTAlgorithm] = [:]
    for entry in entries {
      guard let (name, key) = await Self.key(entry) else { continue }
      // Two keys with the same name are ambiguous.
      guard keys.updateValue(key, forKey: name) == nil else { return nil }
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  private static func key(_ entry: JSONValue) async -> (String, any JWTAlgorithm)? {
    guard
      entry["kty"]?.string == "RSA", entry["use"].map({ $0.string == "sig" }) ?? true,
      entry["alg"].map({ $0.string == "RS256" }) ?? true,
      let name = entry["kid"]?.string, !name.isEmpty, name.utf8.count <= 255,
      let modulus = entry["n"]?.string, let exponent = entry["e"]?.string,
      // A modulus has 2048 to 8192 bits: shorter keys can be broken, and longer keys keep a server busy.
      let size = Base64URL.decode(Array(modulus.utf8))?.count, (256...1024).contains(size),
      let power = Base64URL.decode(Array(exponent.utf8)), (1...4).contains(power.count)
    else { return nil }
    let identifier = JWKIdentifier(string: name)
    let set = JWTKeyCollection()
    guard
      (try? await set.add(
        jwk: .rsa(.rs256, identifier: identifier, modulus: modulus, exponent: exponent))) != nil,
      let key = try? await set.getKey(for: identifier, alg: "RS256")
    else { return nil }
    return (name, key)
  }
}

/// The source of Apple's public keys.
public enum KeySource: Sendable, Equatable {
  /// An address: `https`, or `http` on this machine.
  case url(String)
  /// A file with the same JSON.
  case file(String)

  /// The address where Apple publishes its keys.
  public static let apple = KeySource.url("https://appleid.apple.com/auth/keys")

  /// Parses an operator's setting, an address or a path; returns nil for an address that is not allowed for keys.
  public init?(_ text: String) {
    guard text.utf8.contains(UInt8(ascii: ":")), let url = URL(string: text), let scheme = url.scheme?.lowercased()
    else {
      guard !text.isEmpty else { return nil }
      self = .file(text)
      return
    }
    switch scheme {
    case "file": self = .file(url.path)
    case "https" where url.host?.isEmpty == false: self = .url(text)
    // Keys fetched without encryption could come from anybody.
    case "http" where ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? ""): self = .url(text)
    default: return nil
    }
  }

  /// Fetches the bytes; returns nil if that fails or takes longer than `seconds`, or when there are more bytes than
  /// `KeySet.longest`.
  func load(within seconds: Double) async -> [UInt8]? {
    switch self {
    case .file(let path):
      guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
      defer { try? handle.close() }
      guard let data = try? handle.read(upToCount: KeySet.longest + 1), data.count <= KeySet.longest else { return nil }
      return Array(data)
    case .url(let text):
      guard KeySource(text) == self, let url = URL(string: text) else { return nil }
      return await KeyDownload.run(url, within: seconds)
    }
  }
}

/// One bounded download, without redirects, cookies or a cache, with a size limit while it runs and a limit on its
/// total time.
private final class KeyDownload: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var bytes: [UInt8] = []
  private var isGood = true
  private var waiting: CheckedContinuation<[UInt8]?, Never>?

  static func run(_ url: URL, within seconds: Double) async -> [UInt8]? {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = seconds
    configuration.timeoutIntervalForResource = seconds
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    let download = KeyDownload()
    let session = URLSession(configuration: configuration, delegate: download, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: seconds)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    return await withCheckedContinuation { continuation in
      download.lock.withLock { download.waiting = continuation }
      let task = session.dataTask(with: request)
      task.resume()
      // A server that keeps sending single bytes would never trigger the request's own timeout.
      DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { task.cancel() }
    }
  }

  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _: URLSession, dataTask _: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isGood = (response as? HTTPURLResponse)?.statusCode == 200
    lock.withLock { self.isGood = isGood }
    completionHandler(isGood ? .allow : .cancel)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let tooMuch = lock.withLock {
      isGood = isGood && bytes.count + data.count <= KeySet.longest
      if isGood { bytes += data }
      return !isGood
    }
    if tooMuch { dataTask.cancel() }
  }

  func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (continuation, result) = lock.withLock {
      defer { waiting = nil }
      return (waiting, error == nil && isGood ? bytes : nil)
    }
    continuation?.resume(returning: result)
  }
}
