package tutti.runtime.select;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.TuneMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.AgreedModules.Held;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;

/**
 * The agreement of jobs that connect. For a communicator of several jobs, each rank computes it from the inputs of these jobs, without messages and
 * with the same result: the modules of its nodes; of parameters and rules for collectives, those that the user of one of the jobs gave.
 */
public final class JobAgreement {
    private static final String COLLECTIVES = "coll.";

    private JobAgreement() {}

    /**
     * A job that has ranks in a communicator.
     *
     * @param inputs what its selection depends on
     * @param nodes  names of its nodes that have ranks in the communicator, by their index in the job
     */
    public record Member(SelectionInputs inputs, SortedMap<Integer, String> nodes) {}

    /**
     * Checks that another job agrees with this one; both jobs find the same.
     *
     * @throws MpiFailure when they do not; the message names what each of them has
     */
    public static void check(final SelectionInputs own, final SelectionInputs other) {
        final Set<ModuleId> common = new HashSet<>(own.modules());
        common.retainAll(other.modules());
        if (common.isEmpty()) {
            throw differ("the jobs have no module in common", own.job(), modules(own.modules()), other.job(), modules(other.modules()),
                "install the same modules on the nodes of both");
        }
        if (CheckLevel.of(own.parameters()) != CheckLevel.of(other.parameters())) {
            throw differ(own, other, CheckLevel.PARAMETER, "start both with the same -p " + CheckLevel.PARAMETER + "=VALUE");
        }
        final Set<String> names = common.stream().map(ModuleId::name).collect(Collectors.toSet());
        final Set<String> given = new TreeSet<>(own.given());
        given.retainAll(other.given());
        for (final String p : given) {
            if (isOfCollectives(p, names) && !Objects.equals(own.parameters().get(p), other.parameters().get(p))) {
                throw differ(own, other, p, "give one of them this parameter, or both the same value");
            }
        }
        if (own.given().contains(RuleTable.PARAMETER) == other.given().contains(RuleTable.PARAMETER) && !own.rules().isAs(other.rules())) {
            throw differ("the jobs have different selection rules", own.job(), own.rules().toString(), other.job(), other.rules().toString(),
                "start both with the same -p " + RuleTable.PARAMETER + "=FILE, or one of them");
        }
    }

    private static MpiFailure differ(final SelectionInputs own, final SelectionInputs other, final String parameter, final String advice) {
        return differ("the jobs have different values of parameter " + parameter, own.job(), own.value(parameter), other.job(),
            other.value(parameter),
            advice);
    }

    private static MpiFailure differ(final String what, final String ownJob, final String own, final String otherJob, final String other,
        final String advice) {
        // Cause: connected jobs must agree on modules, parameters and rules; the beginning of the message says on what they do not. Remedy: as the
        // message says at its end.
        return new MpiFailure(ErrorClass.OTHER, what + ": job " + ownJob + " has " + own + "; job " + otherJob + " has " + other + "; " + advice);
    }

    /**
     * Returns whether a parameter says how collectives are served, by one of these modules where it is a module's. Rules are compared apart, and
     * calls of several jobs are not tuned.
     */
    private static boolean isOfCollectives(final String parameter, final Collection<String> modules) {
        final int end = parameter.indexOf('.', COLLECTIVES.length());
        return parameter.startsWith(COLLECTIVES) && !parameter.equals(RuleTable.PARAMETER) && !parameter.equals(TuneMode.PARAMETER)
            && (end < 0 || modules.contains(parameter.substring(COLLECTIVES.length(), end)));
    }

    private static String modules(final Collection<ModuleId> modules) {
        return modules.isEmpty() ? "none" : modules.stream().sorted().map(m -> m + " (" + m.digest().substring(0, Math.min(8, m.digest().length()))
            + ")").collect(Collectors.joining(", "));
    }

    /**
     * Returns what the jobs of a communicator agree on for it.
     *
     * @param jobs the jobs, this one first: what does not concern collectives is its own
     * @throws MpiFailure when the nodes of the communicator have no module in common
     */
    static AgreedModules between(final List<Member> jobs) {
        final SelectionInputs own = jobs.getFirst().inputs();
        final AgreedModules nodes = nodes(jobs);
        if (nodes.modules().isEmpty()) {
            // Cause: nodes of connected jobs hold other versions, even of `basic`; the reasons follow.
            throw new MpiFailure(ErrorClass.OTHER, "the nodes of the communicator have no module in common: " + nodes.leftOut().stream()
                .map(l -> l.module() + ": " + l.reason()).collect(Collectors.joining("; ")) + "; install the same modules on them");
        }
        final Set<String> names = new TreeSet<>();
        jobs.forEach(j -> names.addAll(j.inputs().parameters().keySet()));
        final Map<String, String> parameters = new HashMap<>();
        final Set<String> given = new HashSet<>(own.given());
        for (final String p : names) {
            final SelectionInputs giver = !p.startsWith(COLLECTIVES) ? own : giver(jobs, p);
            final String value = giver.parameters().get(p);
            final boolean isGiven = giver.given().contains(p);
            // where nobody gave it and configurations differ, the default of the module's version counts
            if (value != null && (isGiven || !p.startsWith(COLLECTIVES) || isEqual(jobs, i -> i.parameters().get(p)))) {
                parameters.put(p, value);
            }
            if (isGiven) {
                given.add(p);
            }
        }
        // each job knows the links between its own nodes; those between the jobs are hardly faster
        final LinkSpeed slowest = jobs.stream().map(j -> LinkSpeed.of(j.inputs().parameters())).reduce(LinkSpeed.FAST, LinkSpeed::slower);
        return nodes.with(parameters, given, giver(jobs, RuleTable.PARAMETER).rules()).with(slowest);
    }

    /** Returns the job whose user gave a parameter; the first one where none did. */
    private static SelectionInputs giver(final List<Member> jobs, final String parameter) {
        return jobs.stream().map(Member::inputs).filter(i -> i.given().contains(parameter)).findFirst().orElse(jobs.getFirst().inputs());
    }

    private static boolean isEqual(final List<Member> jobs, final Function<SelectionInputs, @Nullable String> what) {
        return jobs.stream().map(j -> Objects.requireNonNullElse(what.apply(j.inputs()), "")).distinct().count() == 1;
    }

    /** Returns what the nodes agree on, numbered in the order of the jobs. */
    private static AgreedModules nodes(final List<Member> jobs) {
        final List<String> names = new ArrayList<>();
        final Map<ModuleId, List<Integer>> holders = new TreeMap<>();
        final Map<ModuleId, String> quarantine = new HashMap<>();
        for (final Member job : jobs) {
            final Map<Integer, Integer> numbers = new HashMap<>();
            job.nodes().forEach((index, name) -> {
                numbers.put(index, names.size());
                names.add(name + " of job " + job.inputs().job());
            });
            for (final Held h : job.inputs().held()) {
                holders.computeIfAbsent(h.module(), m -> new ArrayList<>()).addAll(h.nodes().stream().filter(numbers::containsKey).map(numbers::get)
                    .toList());
                if (h.quarantine() != null) {
                    quarantine.putIfAbsent(h.module(), h.quarantine());
                }
            }
        }
        return AgreedModules.of(names, holders, quarantine).onAnyNodes();
    }
}
