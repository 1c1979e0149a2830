import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import medialog.ApiClient;
import medialog.ApiException;
import medialog.api.AccountApi;
import medialog.api.BatchesApi;
import medialog.api.MediaApi;
import medialog.api.SearchApi;
import medialog.model.Batch;
import medialog.model.SearchRequest;

/** What a program does first, by a client that openapi-generator generated from the OpenAPI document. */
public class Program {
  private interface Call {
    void run() throws ApiException;
  }

  private static List<Object> refused(Call call) throws Exception {
    try {
      call.run();
      throw new IllegalStateException("It was not refused.");
    } catch (ApiException refusal) {
      JsonNode body = new ObjectMapper().readTree(refusal.getResponseBody());
      return List.of(refusal.getCode(), body.at("/error/code").asText());
    }
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("X-Api-Key", arguments[1]));
    MediaApi media = new MediaApi(client);
    BatchesApi batches = new BatchesApi(client);
    Path folder = Path.of(arguments[2]);

    var stored = media.uploadMedia(folder.resolve("note.txt").toFile(), null, null, null, null, null, "notes");
    var photo = media.uploadMedia(folder.resolve("photo.jpg").toFile(), null, null, null, null, null, null);
    List<String> listed = new ArrayList<>();
    List<Boolean> hasNext = new ArrayList<>();
    for (long page = 1; page <= 2; page++) {
      var data = media.listMedia(page, 1L, null, null, null, null, null, null).getData();
      data.getItems().forEach(item -> listed.add(item.getFileInfo().getFilename()));
      hasNext.add(data.getPagination().getHasNext());
    }
    var search = new SearchRequest().query("bridge").collections(List.of("notes"));
    List<String> found = new ArrayList<>();
    new SearchApi(client).search(search, null, null, null).getData().getResults()
        .forEach(result -> found.add(result.getMetadata().getFileInfo().getFilename()));
    List<File> files = new ArrayList<>();
    for (String name : List.of("one", "two"))
      files.add(Files.writeString(folder.resolve(name + ".txt"), name).toFile());
    String batchId = batches.createBatch(files, null, null, null, null, null).getData().getBatchId();
    Batch batch = batches.readBatch(batchId, null).getData();
    while (List.of("created", "running").contains(batch.getStatus().getValue()))
      batch = batches.readBatch(batchId, null).getData();
    var image = media.readMedia(photo.getData().getMediaId(), null, null, null, null).getData();

    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("cost", stored.getData().getBalanceInfo().getCost());
    seen.put("listed", listed);
    seen.put("has_next", hasNext);
    seen.put("found", found);
    seen.put("batch", List.of(batch.getStatus().getValue(), batch.getProgress().getSuccessful()));
    seen.put("colors", image.getMetadata().getModality().getVisualAttributes().getDominantColors().size());
    seen.put("wrong", refused(() -> media.listMedia(0L, null, null, null, null, null, null, null)));
    seen.put("missing", refused(() -> media.readMedia("doc_00000000-0000-5000-8000-000000000000", null, null, null, null)));
    seen.put("balance", new AccountApi(client).readUsage(null, null, null, null, null, null).getData().getAccountInfo().getBalance());
    System.out.println(new ObjectMapper().writeValueAsString(seen));
  }
}
