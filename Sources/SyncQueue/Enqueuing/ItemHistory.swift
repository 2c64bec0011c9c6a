/// All operations of one item in queue order, and the resulting state.
struct ItemHistory {
  let rows: [QueuedOperation]
  /// Whether one of the operations is being sent right now.
  let isBeingSent: Bool

  /// The publications after the last withdrawal that wait and were never sent.
  var unsentPublications: [QueuedOperation] {
    let from = rows.lastIndex { $0.isWithdrawal }.map { $0 + 1 } ?? 0
    return rows[from...].filter { $0.isPublication && !$0.isSent }
  }

  /// The last publication or update that has content, sent or not.
  var lastPublication: QueuedOperation? { rows.last { $0.isPublication && !$0.saysOnlyID } }

  /// The public ids under which the registry has, or may have, the item.
  var open: [String] {
    var ids: [String] = []
    for row in rows {
      guard let id = row.publicID else { continue }
      if row.isPublication, row.isSent || isBeingSent || row.mayHaveArrived, !ids.contains(id) {
        ids.append(id)
      } else if row.isWithdrawal, row.isSent {
        ids.removeAll { $0 == id }
      }
    }
    return ids
  }

  /// The withdrawals that wait to be sent.
  var waitingWithdrawals: [QueuedOperation] { rows.filter { $0.isWithdrawal && !$0.isSent && !$0.isGivenUp } }
}
