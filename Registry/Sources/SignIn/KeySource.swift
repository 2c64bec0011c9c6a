import Foundation
import RegistryModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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

  /// Fetches the bytes; returns nil when that fails or takes longer than `seconds`, or when there are more bytes than
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
