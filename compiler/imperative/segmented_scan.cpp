// Scans along the innermost dimension of a space.
//
// CPU: segments are cut into pieces as for reductions.  With more than one piece, a first loop
// reduces every piece; the running value before each piece is then known, and a last loop scans
// all pieces at once.  The body runs twice, which costs less than storing its values would.
#include "imperative/gpu.h"

namespace dagaz::imperative {

void Lowering::lower(const ir::Statement& s, const ir::SegmentedScan& e) {
  std::vector<ir::Type> types;
  for (const ir::ScanOperator& one : e.operators) {
    types.insert(types.end(), one.op.result_types.begin(), one.op.result_types.end());
  }
  const std::vector<Destination> targets = result_targets(s, 0);
  if (!is_gpu() || mode_ != Mode::host) {
    scan_by_pieces(s, e, types, targets);
    return;
  }
  run_versions(e.schedule, [&](const ir::Strategy& strategy) {
    const ir::Statement copied = copy_of(e);
    const auto& own = *as<ir::SegmentedScan>(copied.operation);
    match(strategy,
          [&](const ir::LookBack& look_back) {
            Gpu(*this).scan_in_one_pass(s, own, look_back, types, targets);
          },
          [&](const ir::InStages&) { Gpu(*this).scan_in_stages(s, own, types, targets); },
          [&](const ir::BySegments&) { Gpu(*this).scan_by_segments(s, own, targets); },
          [&](const ir::InPieces&) { scan_by_pieces(s, own, types, targets); },
          [&](const auto&) { DZ_UNREACHABLE("no strategy for a scan"); });
  });
}

void Lowering::scan_by_pieces(const ir::Statement& s, const ir::SegmentedScan& e,
                              const std::vector<ir::Type>& types,
                              const std::vector<Destination>& targets) {
  const Operand cost = cost_of(e.schedule);
  const Pieces pieces = cut_segments(e.space, cost, most_pieces(e.schedule));
  const std::vector<Place> before = partial_arrays(types, pieces);
  reduce_pieces(e, pieces, cost, before);
  exclusive_over_pieces(e, pieces, before, types);
  for_each_piece(pieces, cost, [&](const std::vector<Operand>& outer, const Operand& piece,
                                   const Operand& start, const Operand& length) {
    const std::vector<Running> running = start_scans(e.operators);
    const std::vector<Value> initial = values_at(before, types, with(outer, piece));
    std::size_t position = 0;
    for (const Running& one : running) {
      const auto from = initial.begin() + static_cast<std::ptrdiff_t>(position);
      set_running(one, {from, from + static_cast<std::ptrdiff_t>(one.values.size())});
      position += one.values.size();
    }
    thread_loop(length, !has_arrays(running), [&](const Operand& i) {
      scan_point(s, e, running, targets, with(outer, add(start, i)));
    });
  });
}

// One element of a scan: body, operators, post, results.
void Lowering::scan_point(const ir::Statement& s, const ir::SegmentedScan& e,
                          const std::vector<Running>& running,
                          const std::vector<Destination>& targets,
                          const std::vector<Operand>& point) {
  set_indices(e.space, point);
  const std::size_t scanned = running_values(running).size();
  const PointTargets at = at_point(targets, point);
  std::vector<Destination> destinations;
  if (!e.post) {
    destinations.assign(scanned, std::nullopt);
    destinations.insert(destinations.end(), at.rows.begin() + static_cast<std::ptrdiff_t>(scanned),
                  at.rows.end());
  }
  lower_body(e.body, destinations, [&](const std::vector<Value>& values) {
    combine_all(running, values, 0);
    std::vector<Value> outputs = running_values(running);
    outputs.insert(outputs.end(), values.begin() + static_cast<std::ptrdiff_t>(scanned),
                   values.end());
    if (e.post) {
      lower_lambda(*e.post, outputs, at.rows, [&](const std::vector<Value>& results) {
        put_point(s, 0, at, results);
      });
    } else {
      put_point(s, 0, at, outputs);
    }
  });
}

// With more than one piece: partial[piece] := the piece reduced.
void Lowering::reduce_pieces(const ir::SegmentedScan& e, const Pieces& pieces,
                             const Operand& cost, const std::vector<Place>& partial) {
  host_branch(less(ir::i64_operand(1), pieces.count), [&] {
    const ir::Statement copied = copy_of(e);
    const auto& fresh = *as<ir::SegmentedScan>(copied.operation);
    for_each_piece(pieces, cost, [&](const std::vector<Operand>& outer, const Operand& piece,
                                     const Operand& start, const Operand& length) {
      const std::vector<Running> running = start_scans(fresh.operators);
      thread_loop(length, !has_arrays(running), [&](const Operand& i) {
        set_indices(fresh.space, with(outer, add(start, i)));
        lower_body(fresh.body, {}, [&](const std::vector<Value>& values) {
          combine_all(running, values, 0);
        });
      });
      write_all(partial, with(outer, piece), running_values(running));
    });
  });
}

// partial[piece] := the combination of all pieces before it.
void Lowering::exclusive_over_pieces(const ir::SegmentedScan& e, const Pieces& pieces,
                                     const std::vector<Place>& partial,
                                     const std::vector<ir::Type>& types) {
  for_each_point(pieces.outer, cost_of_combining(pieces.count), "carry",
                 [&](const std::vector<Operand>& outer) {
    const std::vector<Running> running = start_scans(e.operators);
    std::vector<Place> held;
    for (const ir::Type& type : types) held.push_back(private_array(type, "held"));
    const Operand last = sub(pieces.count, ir::i64_operand(1));
    thread_loop(last, false, [&](const Operand& piece) {
      write_all(held, {}, values_at(partial, types, with(outer, piece)));
      write_all(partial, with(outer, piece), running_values(running));
      combine_all(running, values_at(held, types, {}), 0);
    });
    write_all(partial, with(outer, last), running_values(running));
  });
}

}  // namespace dagaz::imperative
