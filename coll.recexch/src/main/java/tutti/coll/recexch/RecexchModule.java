package tutti.coll.recexch;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Verdict;

/**
 * The module of recursive exchange: doubling and halving with any radix, for any number of ranks.
 *
 * <p>Stateless.
 */
@Component(property = CollModule.NAME + "=" + RecexchModule.MODULE)
@ProvidesCollectives(value = RecexchModule.MODULE, operations = {})
public final class RecexchModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "recexch";

    /** Made by Declarative Services. */
    public RecexchModule() {
        // nothing to acquire
    }

    @Override
    public Verdict query(final CollComm comm) {
        return new Verdict.Declined("has no algorithms yet");
    }
}
