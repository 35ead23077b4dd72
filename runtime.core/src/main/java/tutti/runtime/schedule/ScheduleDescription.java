package tutti.runtime.schedule;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.plan.Assignment;
import tutti.runtime.introspect.PlannedTask;

/** Describes the tasks of a schedule for introspection. */
final class ScheduleDescription {
    private final Schedule s;
    private final CollectiveChannel channel;
    private final List<List<Integer>> after = new ArrayList<>();

    ScheduleDescription(final Schedule schedule, final CollectiveChannel channel) {
        this.s = schedule;
        this.channel = channel;
        for (int t = 0; t < s.tasks; t++) {
            after.add(new ArrayList<>());
        }
        for (int t = 0; t < s.tasks; t++) {
            for (int i = s.firstSuccessor[t]; i < s.firstSuccessor[t + 1]; i++) {
                if (!after.get(s.successors[i]).contains(t)) {
                    after.get(s.successors[i]).add(t);
                }
            }
        }
    }

    /** Returns the first {@code limit} tasks. */
    List<PlannedTask> tasks(final int limit) {
        final List<PlannedTask> tasks = new ArrayList<>();
        for (int t = 0; t < Math.min(limit, s.tasks); t++) {
            tasks.add(task(t));
        }
        return tasks;
    }

    private PlannedTask task(final int t) {
        final PlannedTask.Kind kind = kind(s.kind[t]);
        final CollectiveChannel on = s.channel[t] == 0 ? channel : s.nested[s.channel[t] - 1];
        return new PlannedTask(t, kind, from(t), into(t), s.bytes[t],
            s.hasPeer(t) ? peer(on, s.peer[t]) : -1, s.ordinal[t], (int) on.context(), s.segments[s.segment[t]].index(),
            module(s.assignment(t)), after.get(t));
    }

    private @Nullable BufferRange from(final int t) {
        return s.assignment(t) instanceof final Assignment.Offloaded a ? a.send() : s.reads(t) ? s.from[t].at(s.fromOffset[t], s.bytes[t]) : null;
    }

    private @Nullable BufferRange into(final int t) {
        return s.assignment(t) instanceof final Assignment.Offloaded a ? a.recv() : s.writes(t) ? s.into[t].at(s.intoOffset[t], s.bytes[t]) : null;
    }

    private static PlannedTask.@Nullable ByModule module(final @Nullable Assignment assignment) {
        return switch (assignment) {
            case null -> null;
            case final Assignment.ByWorker a -> new PlannedTask.ByModule(a.handler().name(), null, List.of(), List.of());
            case final Assignment.Opaque a -> new PlannedTask.ByModule(a.handler().name(), null, a.reads(), a.writes());
            case final Assignment.Offloaded a -> new PlannedTask.ByModule(a.handler().name(), a.operation().id(), List.of(), List.of());
        };
    }

    private int peer(final CollectiveChannel on, final int peer) {
        return on == channel ? peer : channel.rankOf(on.worldRank(peer));
    }

    static PlannedTask.Kind kind(final byte kind) {
        return switch (kind) {
            case Schedule.SEND -> PlannedTask.Kind.SEND;
            case Schedule.RECV -> PlannedTask.Kind.RECV;
            case Schedule.COPY, Schedule.WORKER_COPY -> PlannedTask.Kind.COPY;
            case Schedule.REDUCE, Schedule.WORKER_REDUCE -> PlannedTask.Kind.REDUCE;
            case Schedule.FENCE -> PlannedTask.Kind.FENCE;
            case Schedule.RESERVE -> PlannedTask.Kind.RESERVE;
            case Schedule.POST -> PlannedTask.Kind.POST;
            case Schedule.AWAIT -> PlannedTask.Kind.AWAIT;
            case Schedule.GET -> PlannedTask.Kind.GET;
            case Schedule.COMBINE -> PlannedTask.Kind.REDUCE;
            case Schedule.OPAQUE -> PlannedTask.Kind.OPAQUE;
            case Schedule.OFFLOADED -> PlannedTask.Kind.OFFLOADED;
            default -> throw new IllegalStateException("unknown task kind: kind=" + kind);
        };
    }
}
