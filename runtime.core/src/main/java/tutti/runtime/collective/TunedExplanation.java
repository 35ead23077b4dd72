package tutti.runtime.collective;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.module.ExcludedModule;

/** Explanations of a selection with what tuning has found out since. Stateless. */
final class TunedExplanation {
    private TunedExplanation() {}

    /**
     * Explains calls that an algorithm serves since it was the fastest.
     *
     * @param selected the explanation of the selection for these calls
     * @param found    what was found out
     * @param priority the priority of the module of the fastest algorithm
     */
    static Explanation of(final Explanation selected, final CallTuning found, final int priority) {
        final CallTuning.Measured best = found.best();
        final String module = best.module().toString();
        final List<ExcludedModule> others = new ArrayList<>();
        if (selected.module() != null && !selected.module().equals(module)) {
            others.add(new ExcludedModule(selected.module(), reason(found, selected.module()).orElse("was selected before calls were measured")));
        }
        selected.others().stream().filter(o -> !o.module().equals(module))
            .forEach(o -> others.add(new ExcludedModule(o.module(), reason(found, o.module()).orElse(o.reason()))));
        return new Explanation(selected.operation(), module, best.algorithm().algorithm(),
            best.algorithm().parameters().entrySet().stream().map(p -> new Explanation.Parameter(p.getKey(), p.getValue(), SchedulePlanner.TUNED))
                .toList(),
            priority, others, found.text(), selected.notes(), selected.choices(), selected.offers());
    }

    /** Returns why a module does not serve whose algorithms were measured. */
    private static Optional<String> reason(final CallTuning found, final String module) {
        return found.algorithms().stream().filter(m -> m.module().toString().equals(module) && m.slowdown() > 0)
            .min(Comparator.comparingDouble(CallTuning.Measured::slowdown))
            .map(m -> m.problem() != null ? m.algorithm() + " " + m.problem()
                : String.format(Locale.ROOT, "%s takes %.1f times as long", m.algorithm(), Math.max(1, m.slowdown())));
    }

    /** Returns an explanation with a note for each class of calls of its operation that another algorithm may serve since it was the fastest. */
    static Explanation withNotes(final Explanation selected, final List<CallTuning> all) {
        Explanation noted = selected;
        for (final CallTuning found : all) {
            if (found.operation().equals(selected.operation()) && found.isDecided()) {
                noted = noted.with("calls of " + found.bytes() + " bytes" + (found.kind() == CallTuning.Kind.USUAL ? "" : ", " + found.kind()) + ", "
                    + found.text());
            }
        }
        return noted;
    }
}
