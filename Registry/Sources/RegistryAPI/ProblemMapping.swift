import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import RegistryStore
import SignIn

/// Converts every error that can be thrown into a problem.
enum ProblemMapping {
  static func problem(
    for error: any Error, _ context: RegistryContext, requestID: String
  ) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let failure as StoreFailure: return problem(for: failure, context)
    case let failure as SignInFailure: return problem(for: failure)
    case is NIOTooManyBytesError:
      return Problem(.contentTooLarge, "body_too_large", "The body is too large. Send less at once.")
    case is HTTPParserError, is RequestTooSlow, is CancellationError, is ChannelError, is IOError:
      // The client has disconnected and cannot read this answer; the status is for the log.
      return Problem(.badRequest, "invalid_request", "The request ended before it was complete.")
    case let error as any HTTPResponseError: return problem(for: error, context)
    default:
      context.logger.error("Request failed", metadata: ["error": .string(summary(of: error))])
      return Problem(
        .internalServerError, "internal",
        "An internal error occurred. Try again; if it persists, report the id \(requestID) to the operator.")
    }
  }

  private static func problem(for failure: StoreFailure, _ context: RegistryContext) -> Problem {
    switch failure {
    case .unknownUser: return unauthorized("This account no longer exists. Sign in again.")
    case .busy(let why):
      context.logger.warning("Store busy", metadata: ["why": .string(why)])
      return unavailable("The registry is busy. Try again in a moment.", retryAfter: 1)
    case .unavailable(let why):
      context.logger.error("Store unavailable", metadata: ["why": .string(why)])
      return unavailable("The registry cannot reach its data. Try again later.", retryAfter: 10)
    case .closed: return unavailable("The registry is shutting down. Try again in a moment.", retryAfter: 5)
    }
  }

  private static func problem(for failure: SignInFailure) -> Problem {
    switch failure {
    case .missing: unauthorized("This needs a bearer token. Sign in.", error: nil)
    case .invalid: unauthorized("The token is not valid. Sign in again.")
    case .expired: unauthorized("The token has expired. Refresh it.")
    case .revoked: unauthorized("The session was ended. Sign in again.")
    case .keysUnavailable: unavailable("The sign-in cannot be checked now. Try again in a moment.", retryAfter: 10)
    }
  }

  private static func problem(
    for error: any HTTPResponseError, _ context: RegistryContext
  ) -> Problem {
    switch error.status {
    case .notFound: return .noRoute
    case .contentTooLarge:
      return Problem(.contentTooLarge, "body_too_large", "The body is too large. Send less at once.")
    case .unsupportedMediaType:
      return Problem(.unsupportedMediaType, "unsupported_media_type", "Send the body as application/json.")
    case let status where status.kind == .clientError:
      return Problem(status, "invalid_request", "The request cannot be read.")
    case let status:
      context.logger.error("Request failed", metadata: ["error": .string(summary(of: error))])
      return Problem(status, "internal", "An internal error occurred. Try again later.")
    }
  }

  private static func unauthorized(_ detail: String, error: String? = "invalid_token") -> Problem {
    var fields = HTTPFields()
    fields[.wwwAuthenticate] = "Bearer realm=\"fleetkit\"" + (error.map { ", error=\"\($0)\"" } ?? "")
    return Problem(.unauthorized, "unauthorized", detail, headers: fields)
  }

  private static func unavailable(_ detail: String, retryAfter: Int) -> Problem {
    var fields = HTTPFields()
    fields[.retryAfter] = String(retryAfter)
    return Problem(.serviceUnavailable, "unavailable", detail, headers: fields)
  }

  /// Returns an error's type and case without its associated values, which may contain a user's text.
  private static func summary(of error: any Error) -> String {
    let text = "\(error)".utf8.prefix { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ":") }.prefix(80)
    return "\(type(of: error)) \(String(decoding: Array(text), as: UTF8.self))"
  }
}

/// The error for a request whose rest did not arrive in time.
package struct RequestTooSlow: Error { package init() {} }
