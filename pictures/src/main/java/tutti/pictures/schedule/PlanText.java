package tutti.pictures.schedule;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tutti.coll.BufferRange;
import tutti.runtime.introspect.PartSummary;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

/** Listing of plans as text. */
public final class PlanText {
    private PlanText() {}

    /** Returns a heading, a line per nested collective, and for each rank a line per task. */
    public static String of(final List<RankPlan> plans) {
        final StringBuilder text = new StringBuilder(heading(plans.getFirst())).append('\n');
        parts(plans).forEach(part -> text.append("  ").append(part).append('\n'));
        for (final RankPlan p : plans) {
            text.append("rank ").append(p.rank()).append(": ").append(p.total()).append(p.total() == 1 ? " task" : " tasks");
            if (p.scratchBytes() > 0) {
                text.append(", scratch ").append(p.scratchBytes()).append(" bytes");
            }
            text.append('\n');
            final int width = p.tasks().stream().mapToInt(t -> details(p, t).length()).max().orElse(0);
            for (final PlannedTask t : p.tasks()) {
                text.append(("%4d  %-6s  %-" + Math.max(1, width) + "s  %s").formatted(t.id(), kind(t), details(p, t), after(t)).stripTrailing())
                    .append('\n');
            }
            if (p.tasks().size() < p.total()) {
                text.append("      and ").append(p.total() - p.tasks().size()).append(" more tasks: use --rank R, or fewer ranks with -n\n");
            }
        }
        return text.toString();
    }

    /** Returns a description of the call and of the algorithm that serves it. */
    static String heading(final RankPlan p) {
        return p.operation() + ", " + p.bytes() + " bytes" + (p.data().isEmpty() ? "" : " of " + p.data())
            + (p.block() < 0 ? "" : ", blocks of " + p.block()) + (p.root() < 0 ? "" : ", root " + p.root())
            + ", " + p.size() + (p.size() == 1 ? " rank: " : " ranks: ") + p.module() + ", algorithm " + p.algorithm()
            + " (" + p.reason() + ")";
    }

    /** Returns a line for each nested collective: on which hidden communicators, by which algorithm, and why. */
    static List<String> parts(final List<RankPlan> plans) {
        return PartSummary.lines(PartSummary.of(new TreeMap<>(plans.stream().collect(Collectors.toMap(RankPlan::rank, RankPlan::parts)))));
    }

    static String kind(final PlannedTask t) {
        return t.kind().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the details of a task of a plan, without its kind. */
    static String details(final RankPlan p, final PlannedTask t) {
        final PlannedPart part = PlannedPart.of(p.parts(), t.id());
        final String nested = part == null ? "" : "  in " + part.operation() + " on " + part.communicator();
        final String what = switch (t.kind()) {
            case SEND -> from(t) + " to " + t.peer();
            case RECV -> into(t) + " from " + t.peer();
            case COPY -> from(t) + " to " + into(t) + worker(t);
            case REDUCE, GET -> from(t) + (t.peer() < 0 ? "" : " of " + t.peer()) + " into " + into(t) + worker(t);
            case FENCE, RESERVE -> "";
            case POST -> "#" + t.number();
            case AWAIT -> "#" + t.number() + " of " + t.peer();
            case OPAQUE -> opaque(t);
            case OFFLOADED -> offloaded(t);
        };
        return (what + nested).stripLeading();
    }

    /** Returns who carries out a copy or a reduction, if a module does. */
    private static String worker(final PlannedTask t) {
        return t.module() == null ? "" : "  by " + t.module().name();
    }

    private static String opaque(final PlannedTask t) {
        final PlannedTask.ByModule by = Objects.requireNonNull(t.module(), "work of an opaque task");
        return by.name() + ranges(", reads ", by.reads()) + ranges(", writes ", by.writes());
    }

    private static String ranges(final String what, final List<BufferRange> ranges) {
        return ranges.isEmpty() ? "" : ranges.stream().map(PlanText::span).collect(Collectors.joining(" ", what, ""));
    }

    private static String offloaded(final PlannedTask t) {
        return device(t) + (t.from() == null ? "" : ", " + span(t.from()))
            + (t.into() == null ? "" : (t.from() == null ? ", in " : " to ") + into(t));
    }

    /** Returns the operation of an offloaded collective, and the name of its device. */
    private static String device(final PlannedTask t) {
        final PlannedTask.ByModule by = Objects.requireNonNull(t.module(), "device of an offloaded collective");
        return by.operation() + " by " + by.name();
    }

    /** Returns the kind of a task with the name of what carries it out, if it is not the runtime. */
    static String label(final PlannedTask t) {
        return kind(t) + (t.kind() == PlannedTask.Kind.OFFLOADED ? " " + device(t) : t.module() == null ? "" : " by " + t.module().name());
    }

    private static String from(final PlannedTask t) {
        return span(Objects.requireNonNull(t.from(), "range that the task reads"));
    }

    private static String into(final PlannedTask t) {
        return span(Objects.requireNonNull(t.into(), "range that the task writes"));
    }

    private static String span(final BufferRange span) {
        return span.buffer().name().toLowerCase(Locale.ROOT) + "[" + span.offset() + ".." + span.end() + ")";
    }

    private static String after(final PlannedTask t) {
        return t.after().isEmpty() ? "" : t.after().stream().map(String::valueOf).collect(Collectors.joining(" ", "after ", ""));
    }
}
