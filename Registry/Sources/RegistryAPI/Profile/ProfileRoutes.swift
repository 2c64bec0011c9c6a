import Hummingbird

/// The routes for profiles.
enum ProfileRoutes {
  /// Adds the routes. `/users/me` is not one of them: it is the caller's own account, not a username.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = ProfileHandlers(registry: registry)
    routes.get("users/{username}") { _, context in try await handlers.named(context) }
    routes.get("users/by-id/{id}") { _, context in try await handlers.byID(context) }
    routes.get("profile/stats") { request, _ in try await handlers.stats(request) }
  }
}
