package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import tutti.coll.CollJob;
import tutti.coll.Operation;
import tutti.coll.ThreadLevel;
import tutti.runtime.datatype.Op;

/**
 * Decides which module serves which operation on a new communicator. All ranks run it alike and tell each other what their modules say, so
 * all come to the same decision.
 *
 * <p>Modules the user named come first, then the highest priority, then the name. A module that any rank is against is out on all; an
 * operation that it leaves out on any rank is served by the next. For one thread.
 */
public final class Selector {
    private static final int TEXT_LONGS = 25;
    /** In place of a module for operations that none serves. */
    static final Candidate NOBODY = new Candidate(null, null);

    private final Setup setup;
    private final Meeting meeting;
    private final Preferences preferences;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Candidate> order = new ArrayList<>();
    private int round;

    private Selector(final JobModules modules, final Setup setup, final ThreadLevel level) {
        this.setup = setup;
        this.meeting = new Meeting(setup);
        this.preferences = new Preferences(modules.parameters());
        final CollJob job = modules.view(level);
        for (final OfferedModule m : modules.agreed()) {
            candidates.add(new Candidate(m, new ModuleComm(setup, meeting, job, candidates.size())));
        }
    }

    /** Decides. Every rank of the communicator calls it with the same agreed modules in the same order. */
    public static Selection select(final JobModules modules, final Setup setup, final ThreadLevel level) {
        final Selector selector = new Selector(modules, setup, level);
        boolean done = false;
        try {
            selector.query(modules, level);
            final Candidate[] chosen = selector.settle();
            done = true;
            return new Selection(chosen, selector.order, selector.candidates, selector.preferences, modules.leftOut());
        } finally {
            if (!done) {
                // the job is being ended
                selector.candidates.forEach(Candidate::dispose);
            }
        }
    }

    private void query(final JobModules modules, final ThreadLevel level) {
        for (final Candidate c : candidates) {
            final String refusal = preferences.excludes(c.name()) ? "excluded by " + Preferences.SELECT : modules.refusal(c.module(), level);
            if (refusal != null) {
                c.leave(refusal);
            } else {
                c.query();
            }
        }
        exchange(candidates, "query", null);
        order.addAll(candidates.stream().filter(c -> !c.isOut()).sorted(Comparator.comparingInt((Candidate c) -> preferences.place(c.name()))
            .thenComparingInt(c -> -c.priority()).thenComparing(Candidate::name)).toList());
    }

    /** Sets up what is chosen until nothing that is chosen fails. */
    private Candidate[] settle() {
        while (true) {
            final Candidate[] chosen = assign();
            final List<Candidate> fresh = order.stream().filter(c -> !c.isReady() && List.of(chosen).contains(c)).toList();
            if (!fresh.isEmpty()) {
                fresh.forEach(Candidate::init);
                exchange(fresh, "init", null);
            } else {
                final List<Candidate> used = order.stream().filter(c -> List.of(chosen).contains(c)).toList();
                if (exchange(used, "table", chosen)) {
                    return chosen;
                }
            }
            order.removeIf(Candidate::isOut);
        }
    }

    private Candidate[] assign() {
        final Candidate[] chosen = new Candidate[Operation.values().size()];
        Arrays.fill(chosen, NOBODY);
        for (final Operation<?> o : Operation.values()) {
            final String wanted = preferences.pick(o);
            for (final Candidate c : order) {
                if (c.serves(o) != null && (chosen[o.ordinal()] == NOBODY || c.name().equals(wanted))) {
                    chosen[o.ordinal()] = c;
                }
            }
        }
        return chosen;
    }

    /** Tells the others of these modules and hears of them; returns whether all stay. With {@code chosen} their algorithms are compared. */
    private boolean exchange(final List<Candidate> some, final String step, final Candidate[] chosen) {
        round++;
        final Ballots ballots = new Ballots(some.size());
        for (int i = 0; i < some.size(); i++) {
            some.get(i).vote(ballots, i, chosen == null ? 0 : hash(some.get(i), chosen));
        }
        while (!meeting.meet(Meeting.BALLOTS, round)) {
            // ranks that were about to split a communicator for a module that failed here come in a moment
            continue;
        }
        setup.combine(ballots.values, Ballots.COMBINE);
        final String[] reasons = reasons(some, ballots);
        boolean unanimous = true;
        for (int i = 0; i < some.size(); i++) {
            final Candidate c = some.get(i);
            if (reasons[i] != null) {
                c.leave(reasons[i]);
            } else if (ballots.balance(i) != 0) {
                c.leave(step + " left messages that no rank received: messages=" + ballots.balance(i));
            } else if (!ballots.isUnanimous(i)) {
                c.leave("offers different algorithms on different ranks");
            } else {
                c.accept(ballots, i);
            }
            unanimous &= !c.isOut();
        }
        return unanimous;
    }

    /** Why ranks are against modules, in the words of the lowest of them; null for modules that no rank is against. */
    private String[] reasons(final List<Candidate> some, final Ballots ballots) {
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
                    Text.write(some.get(out.get(k)).reason(), texts, k * TEXT_LONGS, TEXT_LONGS);
                }
            }
            setup.combine(texts, Op.BOR);
            for (int k = 0; k < out.size(); k++) {
                reasons[out.get(k)] = Text.read(texts, k * TEXT_LONGS, TEXT_LONGS)
                    + (setup.voters() == 1 ? "" : " (" + setup.nameOf(ballots.against(out.get(k))) + ")");
            }
        }
        return reasons;
    }

    private static long hash(final Candidate c, final Candidate[] chosen) {
        long hash = 17;
        for (final Operation<?> o : Operation.values()) {
            hash = 31 * hash + (chosen[o.ordinal()] == c ? (o.id() + "=" + c.serves(o).name() + c.serves(o).skipEmpty()).hashCode() : 0);
        }
        return hash;
    }
}
