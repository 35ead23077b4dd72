package tutti.mpi.programs;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.intercept.JsonText;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Formats plans as JSON (RFC 8259); names are those of the record components. */
final class PlanJson {
    private PlanJson() {}

    static String of(final RankPlan plan) {
        return "{\"operation\":" + JsonText.string(plan.operation()) + ",\"module\":" + JsonText.string(plan.module()) + ",\"algorithm\":"
            + JsonText.string(plan.algorithm()) + ",\"reason\":" + JsonText.string(plan.reason()) + ",\"size\":" + plan.size() + ",\"bytes\":"
            + plan.bytes()
            + ",\"block\":" + plan.block() + ",\"data\":" + JsonText.string(plan.data())
            + ",\"root\":" + plan.root() + ",\"rank\":" + plan.rank() + ",\"node\":" + JsonText.string(plan.node()) + ",\"scratchBytes\":"
            + plan.scratchBytes() + ",\"parts\":" + plan.parts().stream().map(PlanJson::part).collect(Collectors.joining(",", "[", "]"))
            + ",\"total\":" + plan.total()
            + ",\"tasks\":" + plan.tasks().stream().map(PlanJson::task).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String part(final PlannedPart p) {
        return "{\"first\":" + p.first() + ",\"last\":" + p.last() + ",\"operation\":" + JsonText.string(p.operation()) + ",\"communicator\":"
            + JsonText.string(p.communicator()) + ",\"bytes\":" + p.bytes() + ",\"module\":" + JsonText.string(p.module())
            + ",\"algorithm\":" + JsonText.string(p.algorithm()) + ",\"reason\":" + JsonText.string(p.reason()) + "}";
    }

    private static String task(final PlannedTask t) {
        return "{\"id\":" + t.id() + ",\"kind\":" + JsonText.string(t.kind().name()) + ",\"from\":" + span(t.from()) + ",\"into\":" + span(t.into())
            + ",\"bytes\":" + t.bytes() + ",\"peer\":" + t.peer() + ",\"number\":" + t.number()
            + ",\"context\":" + t.context() + ",\"part\":" + t.part() + ",\"module\":" + module(t.module())
            + ",\"after\":" + t.after().stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")) + "}";
    }

    private static String module(final PlannedTask.@Nullable ByModule by) {
        return by == null ? "null" : "{\"name\":" + JsonText.string(by.name()) + ",\"operation\":" + JsonText.string(by.operation()) + ",\"reads\":"
            + spans(by.reads()) + ",\"writes\":" + spans(by.writes()) + "}";
    }

    private static String spans(final List<BufferRange> spans) {
        return spans.stream().map(PlanJson::span).collect(Collectors.joining(",", "[", "]"));
    }

    private static String span(final @Nullable BufferRange span) {
        return span == null ? "null" : "{\"buffer\":" + JsonText.string(span.buffer().name()) + ",\"offset\":" + span.offset() + ",\"bytes\":"
            + span.bytes() + "}";
    }
}
