/// Why a record is not taken back: somebody was there since.
public enum UndoObstacle: String, Sendable {
  /// It was changed since.
  case changed
  /// It was deleted since.
  case deleted
  /// It was made anew since.
  case madeAnew = "made anew"
  /// Something that came since belongs to it.
  case needed

  init(_ obstacle: RowUndo.Obstacle) {
    self =
      switch obstacle {
      case .changed: .changed
      case .gone: .deleted
      case .taken: .madeAnew
      }
  }
}
