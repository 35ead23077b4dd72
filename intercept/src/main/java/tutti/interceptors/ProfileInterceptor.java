package tutti.interceptors;

import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.metatype.annotations.Designate;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;

/**
 * Measures the time that a job spends in MPI, and reports it at the end: by rank, by line of the program, by length of messages, and how unequal the
 * ranks are: {@code -p intercept=profile}. {@code MPI.pControl(0)} stops measuring and {@code MPI.pControl(1)} goes on. Stateless.
 */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + ProfileInterceptor.MODULE, configurationPid = ProfileParameters.PID,
    configurationPolicy = ConfigurationPolicy.IGNORE)
@Designate(ocd = ProfileParameters.class)
@ProvidesCollectives(value = ProfileInterceptor.MODULE, operations = {})
public final class ProfileInterceptor implements CallInterceptor {
    /** The module's name. */
    static final String MODULE = CallInterceptor.PREFIX + "profile";

    /** Made by Declarative Services. */
    public ProfileInterceptor() {
        // nothing to acquire
    }

    @Override
    public RankInterceptor begin(final InterceptedRank rank) {
        return new ProfiledRank(rank);
    }
}
