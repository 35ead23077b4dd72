package tutti.mpi.programs;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Formats plans as JSON (RFC 8259); names are those of the record components. */
final class PlanJson {
    private PlanJson() {}

    static String of(final RankPlan plan) {
        return "{\"operation\":" + Json.string(plan.operation()) + ",\"module\":" + Json.string(plan.module()) + ",\"algorithm\":"
            + Json.string(plan.algorithm()) + ",\"size\":" + plan.size() + ",\"bytes\":" + plan.bytes()
            + ",\"block\":" + plan.block() + ",\"data\":" + Json.string(plan.data())
            + ",\"root\":" + plan.root() + ",\"rank\":" + plan.rank() + ",\"node\":" + Json.string(plan.node()) + ",\"scratchBytes\":"
            + plan.scratchBytes() + ",\"total\":" + plan.total()
            + ",\"tasks\":" + plan.tasks().stream().map(PlanJson::task).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String task(final PlannedTask t) {
        return "{\"id\":" + t.id() + ",\"kind\":" + Json.string(t.kind().name()) + ",\"from\":" + span(t.from()) + ",\"into\":" + span(t.into())
            + ",\"bytes\":" + t.bytes() + ",\"peer\":" + t.peer() + ",\"number\":" + t.number()
            + ",\"context\":" + t.context() + ",\"part\":" + t.part() + ",\"group\":"
            + Json.string(t.group()) + ",\"worker\":" + Json.string(t.worker())
            + ",\"after\":" + t.after().stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String span(final @Nullable BufferRange span) {
        return span == null ? "null" : "{\"buffer\":" + Json.string(span.buffer().name()) + ",\"offset\":" + span.offset() + ",\"bytes\":"
            + span.bytes() + "}";
    }
}
