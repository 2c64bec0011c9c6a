import RegistryStore
import SQLiteStore

/// Opens the store, or explains why it cannot be opened.
enum StoreOpening {
  static func open(_ path: String) throws(StartFailure) -> any RegistryStore {
    do {
      return try SQLiteStore(path: path)
    } catch {
      // The store's reasons name the file and the remedy.
      switch error {
      case .busy(let why): throw StartFailure(.locked, why, advice: "")
      case .unavailable(let why): throw StartFailure(.failed, why, advice: "")
      case .closed, .unknownUser:
        throw StartFailure(.failed, "open '\(path)': the store is closed", advice: "Start the registry again.")
      }
    }
  }
}
