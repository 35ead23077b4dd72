package tutti.coll.tck;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which receive takes which send: the k-th that a rank plans to another is taken by the k-th that the other plans from it. */
final class Matching {

    /** A task of a rank's plan. */
    record Place(int rank, int task) { }

    private record Pair(int from, int to) { }

    private final Map<Place, Place> partners = new HashMap<>();
    private final List<Flaw> flaws = new ArrayList<>();

    Matching(final List<RecordingPlan> plans) {
        final Map<Pair, List<Place>> sends = new HashMap<>();
        final Map<Pair, List<Place>> recvs = new HashMap<>();
        for (final RecordingPlan plan : plans) {
            for (final Task t : plan.tasks()) {
                final Place place = new Place(plan.place(), t.id());
                if (t.kind() == Task.Kind.SEND) {
                    sends.computeIfAbsent(new Pair(plan.place(), t.peer()), p -> new ArrayList<>()).add(place);
                } else if (t.kind() == Task.Kind.RECV) {
                    recvs.computeIfAbsent(new Pair(t.peer(), plan.place()), p -> new ArrayList<>()).add(place);
                }
            }
        }
        sends.forEach((pair, list) -> match(plans, list, recvs.getOrDefault(pair, List.of())));
        recvs.forEach((pair, list) -> match(plans, list, sends.getOrDefault(pair, List.of())));
    }

    private void match(final List<RecordingPlan> plans, final List<Place> mine, final List<Place> others) {
        for (int k = 0; k < mine.size(); k++) {
            final Place place = mine.get(k);
            final Task task = task(plans, place);
            if (k >= others.size()) {
                flaws.add(Flaw.of(place.rank, task, "no match for message " + k));
                return;
            }
            final Place partner = others.get(k);
            final long here = bytes(task);
            final long there = bytes(task(plans, partner));
            if (here != there) {
                flaws.add(Flaw.of(place.rank, task, "lengths differ: here=" + here + ", there=" + there + ", peer's task=" + partner.task));
                return;
            }
            partners.put(place, partner);
        }
    }

    private static Task task(final List<RecordingPlan> plans, final Place place) {
        return plans.get(place.rank).tasks().get(place.task);
    }

    private static long bytes(final Task task) {
        return task.from() != null ? task.from().bytes() : task.into().bytes();
    }

    List<Flaw> flaws() {
        return flaws;
    }

    /** The other side of a send or receive; null when there is none. */
    Place partner(final int rank, final int task) {
        return partners.get(new Place(rank, task));
    }
}
