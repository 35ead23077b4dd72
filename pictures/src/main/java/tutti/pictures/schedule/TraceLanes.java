package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.introspect.TraceEvent;

/**
 * Assignment of the events of a rank to lanes: in each lane, events follow one another or a task is nested in its call. Where more than
 * {@value #MOST_LANES} events overlap, the others share the last lane.
 */
final class TraceLanes {
    /** More than a reader can compare, and few enough to try them all for each event. */
    static final int MOST_LANES = 256;

    private final List<Lane> lanes = new ArrayList<>();

    /** Event and its lane, from 0. */
    record Placed(TraceEvent event, int lane) {}

    private static final class Lane {
        private @Nullable TraceEvent call;
        private long callEnd = Long.MIN_VALUE;
        private long taskEnd = Long.MIN_VALUE;
    }

    private TraceLanes() {}

    static List<Placed> of(final List<TraceEvent> events) {
        final TraceLanes lanes = new TraceLanes();
        final List<Placed> placed = new ArrayList<>();
        events.stream().sorted(Comparator.comparingLong(TraceEvent::begin).thenComparing(e -> e.kind() != null)
            .thenComparing(Comparator.comparingLong(TraceEvent::end).reversed())).forEach(e -> placed.add(new Placed(e, lanes.place(e))));
        return placed;
    }

    private int place(final TraceEvent e) {
        for (int i = 0; i < lanes.size(); i++) {
            if (fits(lanes.get(i), e)) {
                take(lanes.get(i), e);
                return i;
            }
        }
        if (lanes.size() < MOST_LANES) {
            lanes.add(new Lane());
        }
        take(lanes.getLast(), e);
        return lanes.size() - 1;
    }

    private static boolean fits(final Lane lane, final TraceEvent e) {
        if (lane.taskEnd > e.begin()) {
            return false;
        }
        return lane.callEnd <= e.begin() || e.kind() != null && lane.call != null && isPart(lane.call, e);
    }

    private static boolean isPart(final TraceEvent call, final TraceEvent task) {
        return call.call() == task.call() && call.tag() >>> Integer.SIZE == task.tag() >>> Integer.SIZE && task.end() <= call.end();
    }

    private static void take(final Lane lane, final TraceEvent e) {
        if (e.kind() == null) {
            lane.call = e;
            lane.callEnd = e.end();
        } else {
            lane.taskEnd = e.end();
        }
    }
}
