package tutti.runtime.select;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.CheckLevel;

/** The agreement of two jobs that connect: they need a module in common, and equal values where ranks must decide alike. */
public final class JobAgreement {
    private static final String COLLECTIVES = "coll.";

    private JobAgreement() {}

    /**
     * Checks that another job agrees with this one; both jobs find the same.
     *
     * @throws MpiFailure when they do not; the message names what each of them has
     */
    public static void check(final String ownJob, final JobModules own, final String otherJob, final List<ModuleId> otherModules,
        final Map<String, String> otherParameters, final Set<String> otherGiven, final String otherRules) {
        final List<ModuleId> common = own.ids().stream().filter(otherModules::contains).toList();
        if (common.isEmpty()) {
            throw new MpiFailure(ErrorClass.OTHER,
                "the jobs have no module in common: job " + ownJob + " has " + modules(own.ids()) + "; job " + otherJob
                    + " has " + modules(otherModules) + "; install the same modules on the nodes of both");
        }
        final Set<String> names = common.stream().map(ModuleId::name).collect(Collectors.toSet());
        final Set<String> all = new TreeSet<>(own.parameters().keySet());
        all.addAll(otherParameters.keySet());
        all.removeIf(p -> !mustBeEqual(p, names));
        for (final String p : all) {
            final String here = value(own.parameters(), own.given(), p);
            final String there = value(otherParameters, otherGiven, p);
            if (!here.equals(there)) {
                throw new MpiFailure(ErrorClass.OTHER,
                    "the jobs have different values of parameter " + p + ": job " + ownJob + " has " + here + "; job "
                        + otherJob + " has " + there + "; start both with the same -p " + p + "=VALUE");
            }
        }
        if (!own.rulesName().equals(otherRules)) {
            throw new MpiFailure(ErrorClass.OTHER,
                "the jobs have different selection rules: job " + ownJob + " has " + own.rulesName() + "; job " + otherJob
                    + " has " + otherRules + "; start both with the same --rules FILE");
        }
    }

    private static boolean mustBeEqual(final String parameter, final Set<String> modules) {
        if (!parameter.startsWith(COLLECTIVES)) {
            return parameter.equals(CheckLevel.PARAMETER);
        }
        final int end = parameter.indexOf('.', COLLECTIVES.length());
        return end < 0 || modules.contains(parameter.substring(COLLECTIVES.length(), end));
    }

    private static String value(final Map<String, String> parameters, final Set<String> given, final String parameter) {
        final String value = parameters.get(parameter);
        return value == null ? "none" : given.contains(parameter) ? value : value + " by default";
    }

    private static String modules(final List<ModuleId> modules) {
        return modules.isEmpty() ? "none" : modules.stream().map(m -> m + " (" + m.digest().substring(0, Math.min(8, m.digest().length())) + ")")
            .collect(Collectors.joining(", "));
    }
}
