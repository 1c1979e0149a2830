// What a program does first, by a client that oapi-codegen generated from the OpenAPI document.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type file struct {
	name    string
	content []byte
}

func form(fields map[string]string, files ...file) (string, *bytes.Buffer) {
	var body bytes.Buffer
	writer := multipart.NewWriter(&body)
	for name, value := range fields {
		_ = writer.WriteField(name, value)
	}
	for _, one := range files {
		part := must(writer.CreateFormFile("file", one.name))
		_, _ = part.Write(one.content)
	}
	_ = writer.Close()
	return writer.FormDataContentType(), &body
}

func main() {
	url, key, folder := os.Args[1], os.Args[2], os.Args[3]
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Api-Key", key)
		return nil
	}
	client := must(NewClientWithResponses(url, WithRequestEditorFn(withKey)))
	read := func(name string) file { return file{name, must(os.ReadFile(filepath.Join(folder, name)))} }
	upload := func(fields map[string]string, one file) *UploadMediaAnswer {
		contentType, body := form(fields, one)
		answer := must(client.UploadMediaWithBodyWithResponse(ctx, nil, contentType, body))
		if answer.JSON200 == nil {
			panic(string(answer.Body))
		}
		return answer.JSON200
	}

	stored := upload(map[string]string{"collection_id": "notes"}, read("note.txt"))
	photo := upload(nil, read("photo.jpg"))
	listed, hasNext := []string{}, []bool{}
	size := int64(1)
	for page := int64(1); page <= 2; page++ {
		answer := must(client.ListMediaWithResponse(ctx, &ListMediaParams{Page: &page, PageSize: &size}))
		for _, item := range answer.JSON200.Data.Items {
			listed = append(listed, item.FileInfo.Filename)
		}
		hasNext = append(hasNext, answer.JSON200.Data.Pagination.HasNext)
	}
	collections := []string{"notes"}
	search := must(client.SearchWithResponse(ctx, nil, SearchRequest{Query: "bridge", Collections: &collections}))
	found := []string{}
	for _, result := range search.JSON200.Data.Results {
		found = append(found, result.Metadata.FileInfo.Filename)
	}
	contentType, body := form(nil, file{"one.txt", []byte("One.")}, file{"two.txt", []byte("Two.")})
	made := must(client.CreateBatchWithBodyWithResponse(ctx, nil, contentType, body))
	readBatch := func() Batch {
		return must(client.ReadBatchWithResponse(ctx, made.JSON200.Data.BatchId, nil)).JSON200.Data
	}
	batch := readBatch()
	for batch.Status == "created" || batch.Status == "running" {
		time.Sleep(100 * time.Millisecond)
		batch = readBatch()
	}
	image := must(client.ReadMediaWithResponse(ctx, photo.Data.MediaId, nil))
	none := int64(0)
	wrong := must(client.ListMediaWithResponse(ctx, &ListMediaParams{Page: &none}))
	missing := must(client.ReadMediaWithResponse(ctx, "doc_00000000-0000-5000-8000-000000000000", nil))
	usage := must(client.ReadUsageWithResponse(ctx, nil))
	told := map[string]any{
		"cost":     stored.Data.BalanceInfo.Cost,
		"listed":   listed,
		"has_next": hasNext,
		"found":    found,
		"batch":    []any{batch.Status, batch.Progress.Successful},
		"colors":   len(image.JSON200.Data.Metadata.Modality.VisualAttributes.DominantColors),
		"wrong":    []any{wrong.StatusCode(), wrong.JSON400.Error.Code},
		"missing":  []any{missing.StatusCode(), missing.JSON404.Error.Code},
		"balance":  usage.JSON200.Data.AccountInfo.Balance,
	}
	fmt.Println(string(must(json.Marshal(told))))
}
