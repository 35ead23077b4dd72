package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tutti.coll.CollJob;
import tutti.coll.Operation;
import tutti.coll.ThreadLevel;
import tutti.runtime.datatype.Op;

/**
 * Decides which module serves which calls of which operation on a new communicator. All ranks run it alike and tell each other what their
 * modules say, so all come to the same decision.
 *
 * <p>The order of choice is that of {@link SelectionPolicy}. A module that any rank is against is out on all; an operation that it leaves out on any
 * rank is served by the next. Whatever a decision may come to is set up. For one thread.
 */
public final class Selector {
    private static final int TEXT_LONGS = 25;

    private final SelectionContext setup;
    private final LockstepCheck meeting;
    private final UserPreferences preferences;
    private final SelectionPolicy wishes;
    /** Stands for what ranks decide by besides modules: all must have the same. */
    private final long seed;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Candidate> order = new ArrayList<>();
    private int round;

    private Selector(final JobModules modules, final SelectionContext setup, final ThreadLevel level) {
        this.setup = setup;
        this.meeting = new LockstepCheck(setup);
        this.preferences = new UserPreferences(modules.parameters());
        final boolean inter = setup.isInter();
        this.wishes = new SelectionPolicy(preferences, modules.rules(), inter ? null : NodeLayout.of(setup), inter);
        this.seed = 31 * (31 * modules.rulesHash() + (inter ? 0 : wishes.layout().toString().hashCode()));
        final CollJob job = modules.view(level);
        for (final OfferedModule m : modules.agreed()) {
            candidates.add(new Candidate(m, new ModuleComm(setup, meeting, job, candidates.size())));
        }
    }

    /** Decides. Every rank of the communicator calls it with the same agreed modules in the same order. */
    public static Selection select(final JobModules modules, final SelectionContext setup, final ThreadLevel level) {
        final Selector selector = new Selector(modules, setup, level);
        boolean done = false;
        try {
            selector.query(modules, level);
            final List<Decision<?>> decisions = selector.settle();
            done = true;
            return new Selection(decisions, selector.order, selector.candidates, selector.wishes, modules.leftOut());
        } finally {
            if (!done) {
                // the job is being ended
                selector.candidates.forEach(Candidate::dispose);
            }
        }
    }

    private void query(final JobModules modules, final ThreadLevel level) {
        for (final Candidate c : candidates) {
            final String refusal = preferences.excludes(c.name()) ? "excluded by " + UserPreferences.SELECT : modules.refusal(c.module(), level);
            if (refusal != null) {
                c.leave(refusal);
            } else {
                c.query();
            }
        }
        exchange(candidates, "query");
        order.addAll(candidates.stream().filter(c -> !c.isOut()).sorted(Comparator.comparingInt((Candidate c) -> preferences.place(c.name()))
            .thenComparingInt(c -> -c.priority()).thenComparing(Candidate::name)).toList());
    }

    /** Sets up what may be chosen until nothing of that fails. */
    private List<Decision<?>> settle() {
        while (true) {
            final List<Decision<?>> decisions = new ArrayList<>();
            Operation.values().forEach(o -> decisions.add(wishes.decide(o, order)));
            final List<Candidate> fresh = order.stream().filter(c -> !c.isReady() && decisions.stream().anyMatch(d -> d.reaches(c))).toList();
            if (fresh.isEmpty()) {
                return decisions;
            }
            fresh.forEach(Candidate::init);
            exchange(fresh, "init");
            order.removeIf(Candidate::isOut);
        }
    }

    /** Tells the others of these modules and hears of them: afterwards all ranks know the same of those that stay. */
    private void exchange(final List<Candidate> some, final String step) {
        final List<Candidate> unlike = compare(some, step);
        if (!unlike.isEmpty()) {
            // now without the operations that some ranks do not have from them
            compare(unlike, step).forEach(c -> c.leave("offers different algorithms on different ranks"));
        }
    }

    /** Returns those whose offers differ, in operations or in algorithms; operations that a rank does not have from them are gone. */
    private List<Candidate> compare(final List<Candidate> some, final String step) {
        round++;
        final ModuleAvailability ballots = new ModuleAvailability(some.size());
        for (int i = 0; i < some.size(); i++) {
            some.get(i).vote(ballots, i, seed + some.get(i).hash());
        }
        while (!meeting.meet(LockstepCheck.BALLOTS, round)) {
            // ranks that were about to split a communicator for a module that failed here come in a moment
            continue;
        }
        setup.combine(ballots.values, ModuleAvailability.COMBINE);
        final String[] reasons = reasons(some, ballots);
        final List<Candidate> unlike = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            final Candidate c = some.get(i);
            if (reasons[i] != null) {
                c.leave(reasons[i]);
            } else if (ballots.balance(i) != 0) {
                c.leave(step + " left messages that no rank received: messages=" + ballots.balance(i));
            } else {
                c.accept(ballots, i);
                if (!ballots.isUnanimous(i)) {
                    unlike.add(c);
                }
            }
        }
        return unlike;
    }

    /** Why ranks are against modules, in the words of the lowest of them; null for modules that no rank is against. */
    private String[] reasons(final List<Candidate> some, final ModuleAvailability ballots) {
        final String[] reasons = new String[some.size()];
        final List<Integer> out = new ArrayList<>();
        for (int i = 0; i < reasons.length; i++) {
            if (ballots.against(i) >= 0) {
                out.add(i);
            }
        }
        if (!out.isEmpty()) {
            final long[] texts = new long[out.size() * TEXT_LONGS];
            for (int k = 0; k < out.size(); k++) {
                if (ballots.against(out.get(k)) == setup.voter()) {
                    PackedText.write(some.get(out.get(k)).reason(), texts, k * TEXT_LONGS, TEXT_LONGS);
                }
            }
            setup.combine(texts, Op.BOR);
            for (int k = 0; k < out.size(); k++) {
                reasons[out.get(k)] = PackedText.read(texts, k * TEXT_LONGS, TEXT_LONGS)
                    + (setup.voters() == 1 ? "" : " (" + setup.nameOf(ballots.against(out.get(k))) + ")");
            }
        }
        return reasons;
    }
}
