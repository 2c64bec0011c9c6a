import Hummingbird

/// The routes for signing in and out, and for the user's own account.
enum AuthRoutes {
  /// Adds the routes. The test sign-in exists only in development; otherwise its path does not exist.
  static func add(to routes: some RouterMethods<RegistryContext>, _ registry: Registry) {
    let handlers = AuthHandlers(registry: registry)
    routes.post("auth/apple-signin") { request, context in try await handlers.signInWithApple(request, context) }
    routes.post("auth/refresh") { request, _ in try await handlers.refresh(request) }
    routes.post("auth/logout") { request, _ in try await handlers.signOut(request) }
    // Early clients use the second path.
    for path in ["auth/me", "users/me"] as [RouterPath] {
      routes.get(path) { request, _ in try await handlers.account(request) }
      routes.put(path) { request, context in try await handlers.changeAccount(request, context) }
      routes.delete(path) { request, _ in try await handlers.deleteAccount(request) }
    }
    if registry.settings.isDevelopment {
      routes.post("auth/test-signin") { request, context in try await handlers.signInForTest(request, context) }
    }
  }
}
