import HTTPTypes
import Hummingbird
import RegistryModel

/// The routes for operators: health, readiness, metrics.
enum OperationRoutes {
  /// Adds the routes.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    routes.get("health") { _, _ in json("{\"status\":\"ok\"}") }
    routes.get("ready") { _, context in
      do {
        try await registry.store.check()
      } catch {
        context.logger.warning("Not ready")
        var fields = HTTPFields()
        fields[.retryAfter] = "5"
        throw Problem(.serviceUnavailable, "unavailable", "The registry cannot reach its data.", headers: fields)
      }
      return json("{\"status\":\"ready\"}")
    }
    routes.get("metrics") { _, _ in
      var fields = HTTPFields()
      fields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
      fields[.cacheControl] = "no-store"
      return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(bytes: registry.metrics.text())))
    }
  }

  private static func json(_ text: String) -> Response {
    var fields = HTTPFields()
    fields[.contentType] = "application/json"
    fields[.cacheControl] = "no-store"
    return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(string: text)))
  }
}

extension OperationRoutes {
  /// Adds the middleware for every request.
  static func addMiddleware(to router: Router<RegistryContext>, _ registry: Registry) {
    router.add(middleware: EdgeMiddleware(registry))
  }
}
