package tutti.runtime.select;

/**
 * A trial of modules in the shadow of those that serve.
 *
 * @param candidate the modules that are tried, as those of the same change
 * @param share     share of the calls that are compared at the most, above 0 and at most 1
 * @param budget    share of the time of each rank that comparisons may take, above 0
 * @param calls     number of comparisons for each class of calls, at least 1
 */
public record CanaryTrial(JobModules candidate, double share, double budget, int calls) {
    /** Number of comparisons where nothing else is said. */
    public static final int DEFAULT_CALLS = 20;

    /** Checks the numbers. */
    public CanaryTrial {
        if (!(share > 0 && share <= 1) || !(budget > 0) || calls < 1) {
            throw new IllegalArgumentException("trial out of range: share=" + share + ", budget=" + budget + ", calls=" + calls);
        }
    }
}
