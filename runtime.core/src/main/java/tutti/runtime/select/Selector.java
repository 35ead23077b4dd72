package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.CollJob;
import tutti.coll.Operation;
import tutti.coll.advanced.ThreadLevel;
import tutti.runtime.datatype.Op;
import tutti.runtime.module.LogLevels;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.UserPreferences;
import tutti.runtime.registry.OfferedModule;

/**
 * Selects the algorithms of a new communicator: decides which module serves which calls of each operation. All ranks run the same steps and
 * exchange the answers of their modules, so that all make the same decision. The modules are those that the nodes of the communicator agreed on.
 *
 * <p>The order of choice is that of {@link SelectionPolicy}. A module that any rank excludes is excluded on all ranks. An operation that a
 * module does not offer on some rank is served by the next module. Every module that a decision may select, or tuning may try, is initialised. For
 * one thread.
 *
 * <pre>{@code
 * query each module -> exchange availability -> decide -> init the modules decided on -> exchange availability
 *                                                  ^------- until all modules decided on are initialised ----'
 * }</pre>
 *
 * <p>A module that another module uses is initialised like one that is decided on.
 */
public final class Selector {
    private static final int TEXT_LONGS = 25;

    private final SelectionContext context;
    private final JobModules.NodesModules available;
    private final LockstepCheck lockstep;
    private final UserPreferences preferences;
    private final SelectionPolicy policy;
    /** A hash of the rules and the layout, by which ranks decide besides the modules: all ranks must have the same. */
    private final long seed;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Candidate> order = new ArrayList<>();
    /** What modules use of other modules, in the order in which they asked for it. */
    private final List<UsedAlgorithm<?>> used = new ArrayList<>();
    private final System.Logger log;
    private int round;

    private Selector(final JobModules modules, final SelectionContext context) {
        this.context = context;
        this.available = modules.on(context.nodes());
        this.lockstep = new LockstepCheck(context, available.modules().size());
        this.preferences = modules.preferences();
        final CommShape shape = context.shape();
        final NodeLayout layout = NodeLayout.of(shape, modules.link());
        this.policy = new SelectionPolicy(preferences, context.preferred(), modules.rules(), modules.rulesFor(layout), shape, context.hints(),
            context.isTuned());
        this.seed = layout.hash().add(modules.rulesHash()).add(context.hints().toString()).value();
        final CollJob job = modules.view();
        final LogLevels levels = new LogLevels(modules.parameters());
        final String place = shape.name() + " rank " + shape.rank();
        this.log = new JobLogger("select", levels.ofSelection(), place);
        for (final OfferedModule m : available.modules()) {
            final String name = m.id().name();
            candidates.add(new Candidate(m, new ModuleComm(context, lockstep, job,
                new JobLogger("coll." + name, levels.ofModule(name), place), name, candidates.size(), this::use),
                new TunedTables(policy.tuned(name), values -> modules.view(name, values))));
        }
    }

    /** Makes the selection. Every rank of the communicator calls it with the modules of its job. */
    public static Selection select(final JobModules modules, final SelectionContext context, final ThreadLevel level) {
        final Selector selector = new Selector(modules, context);
        boolean done = false;
        try {
            selector.query(modules, level);
            final List<Decision<?>> decisions = selector.decideAndInit();
            done = true;
            final Selection selection = new Selection(decisions, selector.order, selector.candidates, selector.policy,
                selector.available.leftOut(), modules);
            selector.report(selection);
            return selection;
        } finally {
            if (!done) {
                // the job is being ended
                selector.candidates.forEach(Candidate::dispose);
            }
        }
    }

    /** Logs the selection, which is equal on all ranks, on the first one: the order of modules, and at level debug each decision. */
    private void report(final Selection selection) {
        if (context.index() > 0 || !log.isLoggable(System.Logger.Level.INFO)) {
            return;
        }
        log.log(System.Logger.Level.INFO, "modules in order: "
            + String.join(", ", order.stream().map(c -> c.module() + " (priority " + c.priority() + ")").toList()));
        candidates.stream().filter(Candidate::isExcluded).forEach(c -> log.log(System.Logger.Level.INFO, "not " + c.module() + ": " + c.reason()));
        available.leftOut().forEach(m -> log.log(System.Logger.Level.INFO, "not " + m.module() + ": " + m.reason()));
        if (log.isLoggable(System.Logger.Level.DEBUG)) {
            selection.explanations().forEach(e -> log.log(System.Logger.Level.DEBUG,
                e.operation() + ": " + e.module() + ", algorithm " + e.algorithm() + (e.rule() == null ? "" : ", " + e.rule())));
        }
    }

    private void query(final JobModules modules, final ThreadLevel level) {
        for (final Candidate c : candidates) {
            final String quarantine = context.quarantined(c.module().id());
            final String refusal = preferences.excludes(c.name()) ? "excluded by " + UserPreferences.SELECT
                : quarantine != null ? "quarantined: " + quarantine : modules.refusal(c.module(), level);
            if (refusal != null) {
                c.exclude(refusal);
            } else {
                c.query();
            }
        }
        exchange(candidates, "query");
        order.addAll(candidates.stream().filter(c -> !c.isExcluded()).sorted(Comparator.comparingInt((Candidate c) -> preferences.position(c.name()))
            .thenComparingInt(c -> -c.priority()).thenComparing(Candidate::name)).toList());
    }

    /** Initialises the modules that the decisions may select, and decides again, until no initialisation fails. */
    private List<Decision<?>> decideAndInit() {
        while (true) {
            final List<Decision<?>> decisions = new ArrayList<>();
            Operation.values().forEach(o -> decisions.add(policy.decide(o, order)));
            final List<Candidate> uninitialised = order.stream().filter(c -> !c.isReady() && (decisions.stream().anyMatch(d -> d.includes(c))
                || used.stream().anyMatch(u -> u.candidate() == c))).toList();
            if (uninitialised.isEmpty()) {
                return decisions;
            }
            uninitialised.forEach(Candidate::init);
            exchange(uninitialised, "init");
            excludeUsers();
            order.removeIf(Candidate::isExcluded);
        }
    }

    /** Returns an algorithm of a module for another module that is being initialised. */
    private <C extends Call> Algorithm<C> use(final int user, final Operation<C> operation, final String name) {
        final AlgorithmRef ref = AlgorithmRef.of(name);
        if (!ref.parameters().isEmpty()) {
            throw new IllegalArgumentException("an algorithm of another module has the parameters of the job: name=" + name);
        }
        final Candidate module = candidates.stream().filter(c -> c.name().equals(ref.module())).findFirst()
            .orElseThrow(() -> new IllegalStateException("module is not agreed on: name=" + name));
        if (module == candidates.get(user)) {
            throw new IllegalArgumentException("module uses itself: name=" + name);
        }
        final UsedAlgorithm<C> algorithm = new UsedAlgorithm<>(user, module, operation, ref);
        if (algorithm.obstacle() != null) {
            throw new IllegalStateException(ref + " cannot be used: " + ref.module() + " " + algorithm.obstacle());
        }
        used.add(algorithm);
        return algorithm;
    }

    /** Excludes the modules that use what others do not offer after all. */
    private void excludeUsers() {
        boolean changed = true;
        while (changed) {
            changed = false;
            for (final UsedAlgorithm<?> u : used) {
                final Candidate user = candidates.get(u.user());
                final String obstacle = u.obstacle();
                if (obstacle != null && !user.isExcluded()) {
                    user.exclude("uses " + u + ": " + u.ref().module() + " " + obstacle);
                    changed = true;
                }
            }
            used.removeIf(u -> candidates.get(u.user()).isExcluded());
        }
    }

    /** Returns a hash of what this rank must have in common with the others for a module. */
    private long hashOf(final Candidate c) {
        final AgreementHash hash = new AgreementHash().add(seed).add(c.hash());
        used.stream().filter(u -> candidates.get(u.user()) == c).forEach(u -> hash.add(u.toString()));
        return hash.value();
    }

    /** Exchanges the availability of these modules. Afterwards all ranks know the same of those that are not excluded. */
    private void exchange(final List<Candidate> subset, final String step) {
        final List<Candidate> differing = compare(subset, step);
        if (!differing.isEmpty()) {
            // now without the operations that some ranks do not offer
            compare(differing, step).forEach(c -> c.exclude("offers different algorithms on different ranks"));
        }
    }

    /**
     * Compares modules on all ranks, and returns those whose operations or algorithms differ. Removes from a module the operations that it
     * does not offer on all ranks.
     */
    private List<Candidate> compare(final List<Candidate> subset, final String step) {
        round++;
        final long[] balances = subset.stream().mapToLong(Candidate::takeBalance).toArray();
        final ModuleAvailability availability = lockstep.exchange(round, own -> {
            for (int i = 0; i < subset.size(); i++) {
                subset.get(i).report(own, i, hashOf(subset.get(i)), balances[i]);
            }
        });
        final String[] reasons = reasons(subset, availability);
        final List<Candidate> differing = new ArrayList<>();
        for (int i = 0; i < subset.size(); i++) {
            final Candidate c = subset.get(i);
            if (reasons[i] != null) {
                c.exclude(reasons[i]);
            } else if (availability.balance(i) != 0) {
                c.exclude(step + " left messages that no rank received: messages=" + availability.balance(i));
            } else {
                c.accept(availability, i);
                if (!availability.isUnanimous(i)) {
                    differing.add(c);
                }
            }
        }
        return differing;
    }

    /** Returns the reasons why modules are excluded, each as given by the lowest rank that excludes it; null for the other modules. */
    private String[] reasons(final List<Candidate> subset, final ModuleAvailability availability) {
        final String[] reasons = new String[subset.size()];
        final List<Integer> out = new ArrayList<>();
        for (int i = 0; i < reasons.length; i++) {
            if (availability.excludedBy(i) >= 0 && availability.isUnanimous(i)) {
                // all ranks know the reason
                reasons[i] = named(PackedText.shortened(subset.get(i).reason(), TEXT_LONGS), availability.excludedBy(i));
            } else if (availability.excludedBy(i) >= 0) {
                out.add(i);
            }
        }
        if (!out.isEmpty()) {
            final long[] texts = new long[out.size() * TEXT_LONGS];
            for (int k = 0; k < out.size(); k++) {
                if (availability.excludedBy(out.get(k)) == context.index()) {
                    PackedText.write(subset.get(out.get(k)).reason(), texts, k * TEXT_LONGS, TEXT_LONGS);
                }
            }
            context.combine(texts, Op.BOR);
            for (int k = 0; k < out.size(); k++) {
                reasons[out.get(k)] = named(PackedText.read(texts, k * TEXT_LONGS, TEXT_LONGS), availability.excludedBy(out.get(k)));
            }
        }
        return reasons;
    }

    private String named(final String reason, final int rank) {
        return context.totalSize() == 1 ? reason : reason + " (" + context.nameOf(rank) + ")";
    }
}
