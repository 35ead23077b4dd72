package tutti.mpi.programs;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.intercept.JsonText;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Formats plans as JSON (RFC 8259); names are those of the record components. */
final class PlanJson {
    private PlanJson() {}

    static String of(final RankPlan plan) {
        return "{\"operation\":" + JsonText.string(plan.operation()) + ",\"module\":" + JsonText.string(plan.module()) + ",\"algorithm\":"
            + JsonText.string(plan.algorithm()) + ",\"size\":" + plan.size() + ",\"bytes\":" + plan.bytes()
            + ",\"block\":" + plan.block() + ",\"data\":" + JsonText.string(plan.data())
            + ",\"root\":" + plan.root() + ",\"rank\":" + plan.rank() + ",\"node\":" + JsonText.string(plan.node()) + ",\"scratchBytes\":"
            + plan.scratchBytes() + ",\"total\":" + plan.total()
            + ",\"tasks\":" + plan.tasks().stream().map(PlanJson::task).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String task(final PlannedTask t) {
        return "{\"id\":" + t.id() + ",\"kind\":" + JsonText.string(t.kind().name()) + ",\"from\":" + span(t.from()) + ",\"into\":" + span(t.into())
            + ",\"bytes\":" + t.bytes() + ",\"peer\":" + t.peer() + ",\"number\":" + t.number()
            + ",\"context\":" + t.context() + ",\"part\":" + t.part() + ",\"group\":"
            + JsonText.string(t.group()) + ",\"worker\":" + JsonText.string(t.worker())
            + ",\"after\":" + t.after().stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String span(final @Nullable BufferRange span) {
        return span == null ? "null" : "{\"buffer\":" + JsonText.string(span.buffer().name()) + ",\"offset\":" + span.offset() + ",\"bytes\":"
            + span.bytes() + "}";
    }
}
